"""Parts of bench/scale.py: replicas that take over from a leader."""
