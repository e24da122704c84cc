"""`kedge install`: what a cluster needs to run `kedge server`, as manifests or applied."""
