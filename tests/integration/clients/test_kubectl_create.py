"""kubectl create and run: objects from arguments, whose bodies kubectl may send as protobuf."""

import base64
import json

import pytest

from tests.integration.clients.kubectl import Kubectl


@pytest.mark.parametrize(
    ("command", "path", "value"),
    [
        ("configmap c1 --from-literal=a=b", "{.data.a}", "b"),
        ("deployment d1 --image=i --replicas=3", "{.spec.replicas}", "3"),
        ("serviceaccount s1", "{.metadata.name}", "s1"),
        ("secret generic s1 --from-literal=a=b", "{.type} {.data.a}", "Opaque Yg=="),
        ("quota q1 --hard=pods=3", "{.spec.hard.pods}", "3"),
        ("role r1 --verb=get,list --resource=pods", "{.rules[0].verbs[*]}", "get list"),
        ("rolebinding b1 --role=r1 --user=eve", "{.subjects[0].name}", "eve"),
        ("job j1 --image=i -- true", "{.spec.template.spec.restartPolicy}", "Never"),
        ("cronjob j1 --image=i --schedule=0_0_*_*_*", "{.spec.schedule}", "0 0 * * *"),
        ("ingress i1 --rule=h.test/p=svc:80", "{.spec.rules[0].host}", "h.test"),
        ("poddisruptionbudget p1 --selector=a=b --min-available=1", "{.spec.minAvailable}", "1"),
        ("service clusterip c1 --tcp=80:81", "{.spec.ports[0].targetPort}", "81"),
        ("service nodeport n1 --tcp=80:81", "{.spec.type}", "NodePort"),
        ("service loadbalancer l1 --tcp=80:81", "{.spec.type}", "LoadBalancer"),
        ("service externalname e1 --external-name=x.test", "{.spec.externalName}", "x.test"),
    ],
    ids=lambda value: value.split(" --")[0] if " " in value else "",
)
def test_create(kubectl: Kubectl, command: str, path: str, value: str) -> None:
    words = [word.replace("_", " ") for word in command.split()]
    told = kubectl.ok("create", *words)
    assert told.endswith(" created\n")
    created = told.split()[0]
    assert kubectl.ok("get", created, f"--output=jsonpath={path}") == value
    assert "AlreadyExists" in kubectl.refused("create", *words) or "already exists" in (
        kubectl.refused("create", *words)
    )


@pytest.mark.parametrize(
    ("command", "path", "value"),
    [
        ("namespace {}", "{.status.phase}", "Active"),
        ("clusterrole {} --verb=get --resource=nodes", "{.rules[0].resources[0]}", "nodes"),
        ("clusterrolebinding {} --clusterrole=view --user=eve", "{.roleRef.name}", "view"),
        ("priorityclass {} --value=10", "{.value}", "10"),
    ],
)
def test_create_of_what_has_no_namespace(
    kubectl: Kubectl, command: str, path: str, value: str
) -> None:
    told = kubectl.ok("create", *command.format(f"wide-{kubectl.namespace}").split())
    created = told.split()[0]
    assert kubectl.ok("get", created, f"--output=jsonpath={path}") == value
    kubectl.ok("delete", created, "--timeout=20s")


def test_a_token_for_a_service_account_lets_it_in(kubectl: Kubectl) -> None:
    kubectl.ok("create", "serviceaccount", "robot")
    token = kubectl.ok("create", "token", "robot", "--duration=20m").strip()
    _, payload, _ = token.split(".")
    claims = json.loads(base64.urlsafe_b64decode(payload + "=="))
    assert claims["sub"] == f"system:serviceaccount:{kubectl.namespace}:robot"
    assert claims["exp"] - claims["iat"] == 20 * 60


def test_a_job_from_a_cron_job(kubectl: Kubectl) -> None:
    kubectl.ok("create", "cronjob", "daily", "--image=i", "--schedule=0 0 * * *")
    kubectl.ok("create", "job", "now", "--from=cronjob/daily")
    (owner,) = kubectl.get("job", "now")["metadata"]["ownerReferences"]
    assert (owner["kind"], owner["name"]) == ("CronJob", "daily")


def test_run_makes_a_pod_and_delete_lets_it_go_at_once(kubectl: Kubectl) -> None:
    kubectl.ok("run", "one", "--image=i", "--restart=Never", "--", "sleep", "1")
    pod = kubectl.get("pod", "one")
    assert pod["status"]["phase"] == "Pending"
    assert pod["spec"]["containers"][0]["args"] == ["sleep", "1"]
    kubectl.ok("delete", "pod", "one", "--timeout=20s")
    kubectl.ok("run", "one", "--image=i")
    kubectl.ok("delete", "pod", "one", "--grace-period=0", "--force")


def test_raw_requests(kubectl: Kubectl) -> None:
    path = f"/api/v1/namespaces/{kubectl.namespace}/configmaps"
    body = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"raw"}}'
    made = json.loads(kubectl.ok("create", f"--raw={path}", "-f", "-", stdin=body))
    assert made["metadata"]["name"] == "raw"
    assert json.loads(kubectl.ok("get", f"--raw={path}/raw")) == made
    assert json.loads(kubectl.ok("delete", f"--raw={path}/raw"))["status"] == "Success"
    assert json.loads(kubectl.ok("get", "--raw=/version"))["minor"] == "34"
    assert kubectl.ok("get", "--raw=/readyz") == "ok"
    assert "NotFound" in kubectl.refused("get", "--raw=/nowhere")
