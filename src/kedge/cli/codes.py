"""Exit codes, in a place that costs nothing to import."""

INTERRUPTED = 130  # 128 + SIGINT, the way shells count
TERMINATED = 143  # 128 + SIGTERM
