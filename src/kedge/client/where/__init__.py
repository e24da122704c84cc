"""Where the cluster is and who we are: kubeconfig files, the pod around us, or told outright."""

from kedge.client.where.access import Access, Credentials, Login
from kedge.client.where.choose import Overrides
from kedge.client.where.errors import ConfigError, LoginFailed, NothingConfigured
from kedge.client.where.explicit import explicit
from kedge.client.where.find import find
from kedge.client.where.local import from_kubeconfig
from kedge.client.where.pod import in_cluster

__all__ = [
    "Access",
    "ConfigError",
    "Credentials",
    "Login",
    "LoginFailed",
    "NothingConfigured",
    "Overrides",
    "explicit",
    "find",
    "from_kubeconfig",
    "in_cluster",
]
