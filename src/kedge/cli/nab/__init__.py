"""`kedge nab`: one module a command, and what all commands of self-service share."""
