"""Who may do what, and who we are, against our server and a real one."""

import asyncio

import pytest

from kedge.client import Client, Question, User
from kedge.kube import errors
from kedge.kube.kind import plain
from tests.integration.client.conftest import Api
from tests.integration.eventually import pause
from tests.real_cluster import RealCluster

CONFIGS = plain("v1", "ConfigMap", "configmaps")
ROLES = plain("rbac.authorization.k8s.io/v1", "Role", "roles")
BINDINGS = plain("rbac.authorization.k8s.io/v1", "RoleBinding", "rolebindings")
PATIENCE = 30.0


@pytest.mark.asyncio
async def test_the_admin_may_do_everything(kube: Client, namespace: str) -> None:
    assert await kube.may("delete", CONFIGS, namespace, "a")
    assert await kube.may("*", "*")
    assert await kube.may("create", "apps/deployments")
    assert await kube.may("get", "pods", namespace, subresource="log")
    assert await kube.may("get", "/metrics")


@pytest.mark.asyncio
async def test_who_the_admin_is(kube: Client) -> None:
    me = await kube.whoami()
    assert me.name
    assert {"system:masters", "system:authenticated"} <= set(me.groups)


@pytest.mark.asyncio
async def test_others_may_what_their_roles_say(kube: Client, namespace: str) -> None:
    group = "rbac.authorization.k8s.io"
    meta = {"name": "reader", "namespace": namespace}
    rule = {
        "apiGroups": [""],
        "resources": ["configmaps"],
        "verbs": ["get"],
        "resourceNames": ["a"],
    }
    await kube.create(ROLES, {"metadata": meta, "rules": [rule]})
    binding = {
        "metadata": meta,
        "roleRef": {"apiGroup": group, "kind": "Role", "name": "reader"},
        "subjects": [{"apiGroup": group, "kind": "Group", "name": "readers"}],
    }
    await kube.create(BINDINGS, binding)
    ann, bob = User("ann", ("readers",)), User("bob")
    async with asyncio.timeout(PATIENCE):
        # A real server decides from a cache, which may not have heard of the binding.
        while not (allowed := await kube.may_they(ann, Question("get", CONFIGS, namespace, "a"))):
            await pause(0.02)
    assert "reader" in allowed.reason
    for user, question in (
        (bob, Question("get", CONFIGS, namespace, "a")),
        (ann, Question("get", CONFIGS, namespace, "b")),
        (ann, Question("get", CONFIGS, "default", "a")),
        (ann, Question("get", CONFIGS)),
        (ann, Question("list", CONFIGS, namespace)),
        (ann, Question("get", "/metrics")),
    ):
        assert not await kube.may_they(user, question)


@pytest.mark.asyncio
async def test_a_user_without_rights(real_api: Api, real_cluster: RealCluster) -> None:
    async with real_api.client(real_cluster.tokens["bob"]) as bob:
        assert not await bob.may("get", "secrets", "default")
        assert (await bob.whoami()).name == "bob"
        with pytest.raises(errors.Forbidden):
            await bob.may_they(User("ann"), Question("get", "pods"))
