"""`kedge restore`: one module a command, and what they share."""
