"""The kinds of self-service: what people without cluster rights make, and what comes of it."""
