"""CustomResourceDefinitions and the objects of the kinds they define, as pure functions: no HTTP, no store."""
