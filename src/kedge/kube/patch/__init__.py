"""Patches: merge (RFC 7386), JSON (RFC 6902) and Kubernetes' strategic merge.

Each gives a new object and leaves target and patch as they are; what does not change is shared
between them. Who changes the result in place must copy it first.
"""
