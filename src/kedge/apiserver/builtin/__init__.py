"""The built-in kinds: what their Strategy fills in, refuses, warns of and converts."""
