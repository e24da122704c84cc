"""The rules of self-service: what people may ask for, and what is made of it."""
