from kedge.apiserver.health import CHECKS, Health
from kedge.apiserver.http.query import Query


def answer(path: str, query: str = "", *, well: bool = True) -> tuple[int, str] | None:
    reply = Health(lambda: well)(path, Query(query))
    return None if reply is None else (reply.code, reply.body.decode())


def test_all_is_well() -> None:
    for name in CHECKS:
        assert answer(f"/{name}") == (200, "ok")
    assert answer("/livez/ping") == (200, "ok")


def test_other_paths_are_not_ours() -> None:
    for path in ("/healthz/", "/healthzx", "/livez/nope", "/livez/ping/", "/livez/etcd-readiness"):
        assert answer(path) is None


def test_every_check_is_told_on_demand() -> None:
    code, text = answer("/readyz", "verbose&exclude=log&exclude=nope") or (0, "")
    lines = text.splitlines()
    assert code == 200
    assert lines[:3] == ["[+]ping ok", "[+]log excluded: ok", "[+]etcd ok"]
    assert lines[-2:] == [
        'warn: some health checks cannot be excluded: no matches for "nope"',
        "readyz check passed",
    ]


def test_a_store_that_does_not_answer_is_told_without_being_asked() -> None:
    code, text = answer("/readyz", well=False) or (0, "")
    assert code == 500
    assert "[-]etcd failed: reason withheld\n" in text
    assert text.endswith("readyz check failed\n")
    assert answer("/readyz", "exclude=etcd", well=False) == (200, "ok")
    assert (answer("/readyz/etcd", well=False) or (0, ""))[0] == 500
