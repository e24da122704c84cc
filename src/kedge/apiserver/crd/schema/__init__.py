"""What a schema does with objects: drop unknown fields, fill in defaults, say what is wrong."""
