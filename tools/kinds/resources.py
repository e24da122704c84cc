"""Discovery in short, with a proof that nothing of it was lost."""

from typing import Any

from tools.kinds.source import Json, Source, group_version


def groups(source: Source) -> list[Json]:
    """List the groups in the server's order, each with its versions, the preferred one first."""
    return [
        {
            "name": item["metadata"].get("name", ""),
            "versions": [v["version"] for v in item["versions"]],
        }
        for item in source.aggregated
    ]


def resources(source: Source, kinds: dict[str, str]) -> list[Json]:
    """List the resources in the server's order; raises if they do not give discovery back."""
    found = [
        _resource(item["metadata"].get("name", ""), version, entry, source, kinds)
        for item in source.aggregated
        for version in item["versions"]
        for entry in version["resources"]
    ]
    for gv, told in source.legacy.items():
        ours = [r for r in found if group_version(r["group"], r["version"]) == gv]
        if legacy(ours) != told["resources"]:
            raise ValueError(f"the short form of {gv} does not give its discovery back")
    return found


def _resource(
    group: str, version: Json, entry: Json, source: Source, kinds: dict[str, str]
) -> Json:
    gv = group_version(group, version["version"])
    hashes = {r["name"]: r.get("storageVersionHash") for r in source.legacy[gv]["resources"]}
    kind = entry["responseKind"]["kind"]
    subresources = [_subresource(gv, s, kinds) for s in entry.get("subresources", [])]
    return filled(
        {
            "group": group,
            "version": version["version"],
            "plural": entry["resource"],
            "kind": kind,
            "singular": entry["singularResource"],
            "namespaced": entry["scope"] == "Namespaced",
            "verbs": entry["verbs"],
            "type": kinds[f"{gv}/{kind}"],
        },
        shortNames=entry.get("shortNames"),
        categories=entry.get("categories"),
        storageVersionHash=hashes[entry["resource"]],
        subresources=subresources,
    )


def _subresource(gv: str, entry: Json, kinds: dict[str, str]) -> Json:
    about = entry["responseKind"]
    theirs = group_version(about["group"], about["version"]) if about["version"] else gv
    return filled(
        {"name": entry["subresource"], "kind": about["kind"], "verbs": entry["verbs"]},
        group=about["group"],
        version=about["version"],
        type=kinds.get(f"{theirs}/{about['kind']}"),
    )


def legacy(found: list[Json]) -> list[Json]:
    """Write resources as an APIResourceList has them."""
    rows = []
    for r in found:
        row = {"name": r["plural"], "singularName": r["singular"], "namespaced": r["namespaced"]}
        row |= {"kind": r["kind"], "verbs": r["verbs"]}
        rows.append(filled(row, **{k: r.get(k) for k in LEGACY_EXTRAS}))
        for s in r.get("subresources", []):
            row = {"name": f"{r['plural']}/{s['name']}", "singularName": ""}
            row |= {"namespaced": r["namespaced"], "kind": s["kind"], "verbs": s["verbs"]}
            rows.append(filled(row, group=s.get("group"), version=s.get("version")))
    return rows


LEGACY_EXTRAS = ("shortNames", "categories", "storageVersionHash")


def filled(always: Json, **others: Any) -> Json:
    """Add what is not empty."""
    return always | {k: v for k, v in others.items() if v}
