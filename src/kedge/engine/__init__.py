"""What backups and restores do, to a cluster and to a bucket; phases belong to controllers."""
