"""Our kinds: typed spec and status, their options, and the CRDs made from the types."""
