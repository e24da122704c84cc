"""`kedge up`: the embedded API and all controllers, in one process."""
