"""What a shell's TAB offers beyond commands and options: names from the server."""
