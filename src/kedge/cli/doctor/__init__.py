"""`kedge doctor`: looks for what keeps Kedge from working, and says what to do about it."""
