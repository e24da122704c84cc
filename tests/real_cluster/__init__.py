"""A real kube-apiserver with etcd for the tests, on free loopback ports.

`python -m tests.real_cluster --help` runs one in the foreground.
"""

from tests.real_cluster.cluster import RealCluster, Setup, running
from tests.real_cluster.programs import Missing, Programs, find

__all__ = ["Missing", "Programs", "RealCluster", "Setup", "find", "running"]
