"""`kedge nabsl`: one module a command, and the pieces they share."""
