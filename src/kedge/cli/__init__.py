"""The command line: the only place that knows all parts of Kedge."""
