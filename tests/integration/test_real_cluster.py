"""The real cluster that other tests rely on is up and knows its users."""

import json
import urllib.error

import pytest

from tests.real_cluster import RealCluster


def test_the_administrator_may_do_everything(real_cluster: RealCluster) -> None:
    namespaces = json.loads(real_cluster.get("/api/v1/namespaces"))
    names = {item["metadata"]["name"] for item in namespaces["items"]}
    assert {"default", "kube-system"} <= names


def test_other_users_may_nothing_but_are_known(real_cluster: RealCluster) -> None:
    with pytest.raises(urllib.error.HTTPError) as refused:
        real_cluster.get("/api/v1/namespaces", user="alice")
    status = json.load(refused.value)
    assert refused.value.code == 403
    assert 'User "alice" cannot list resource "namespaces"' in status["message"]
