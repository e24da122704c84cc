"""The verbs of the API, one module each: a Call in, a Reply out, failures raised as ApiError."""
