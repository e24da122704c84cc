from kedge.apiserver.lifecycle.owners import Head, Owners, Reference


def head(*uids: str) -> Head:
    return Head(owner_references=tuple(Reference(uid=uid) for uid in uids))


def test_dependents_are_found_by_the_uid_of_their_owner() -> None:
    owners = Owners()
    owners.put("/b", head("x", "y"))
    owners.put("/a", head("x"))
    assert owners.dependents("x") == ["/a", "/b"]
    owners.put("/b", head("y"))
    assert owners.dependents("x") == ["/a"]
    owners.remove("/a")
    assert owners.dependents("x") == []
    assert owners.of("/b") == ("y",)


def test_two_references_to_one_uid_are_one() -> None:
    owners = Owners()
    owners.put("/a", head("x", "x"))
    assert owners.of("/a") == ("x",)
    assert owners.dependents("x") == ["/a"]
    owners.remove("/a")
    assert owners.of("/a") == ()
    assert owners.dependents("x") == []
