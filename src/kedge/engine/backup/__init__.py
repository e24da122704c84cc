"""What a backup does to a cluster: it reads the objects that are asked for into an archive."""
