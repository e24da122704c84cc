"""Fixtures that every tier may ask for."""

from tests.real_cluster.fixture import real_cluster as real_cluster
