"""Pod Security Standards: what labels of a namespace forbid pods, or warn of."""
