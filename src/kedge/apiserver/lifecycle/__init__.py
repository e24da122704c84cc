"""What goes on by itself: garbage collection, namespaces, CRDs, rights, the age of things."""
