"""The Kubernetes vocabulary, without I/O: names, metadata, selectors, patches, Status, errors.

Client and server share it, and what they must read as Go does: numbers, base64, YAML.
"""
