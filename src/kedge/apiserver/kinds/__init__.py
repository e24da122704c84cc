"""The built-in kinds: facts that a generator took from a real server, and how to read them."""
