"""The Kubernetes vocabulary, without I/O: names, metadata, selectors, patches, Status, errors.

Client and server share it.
"""
