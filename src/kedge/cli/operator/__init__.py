"""All controllers in one process: what `kedge server` and `kedge up` run."""
