"""`kedge nar`: one module a command."""
