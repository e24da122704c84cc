"""Parts of bench/runtime.py: client and runtime beside other Python ones."""
