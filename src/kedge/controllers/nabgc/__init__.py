"""Removes from the server's namespace what has lost the object that it was made for."""
