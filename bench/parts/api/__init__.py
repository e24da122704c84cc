"""Parts of bench/apiserver.py: our API server beside a real one. Others use them, too."""
