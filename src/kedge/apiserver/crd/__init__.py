"""CustomResourceDefinitions and the objects of their kinds: pure functions, no HTTP, no store."""
