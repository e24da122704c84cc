"""One folder for each controller; none imports another."""
