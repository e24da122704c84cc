"""`kedge warmup`: hold a pod until its run. It imports next to nothing."""
