"""Write src/kedge/apiserver/kinds/builtin.json: the built-in kinds of a real API server.

Usage: python -m tools.gen_kinds --kubeconfig FILE

A real server is started with `python -m tests.real_cluster --kubeconfig FILE`. Its discovery and
OpenAPI give names, types and merge keys; the Go types it is built from give what OpenAPI leaves
out and answers show. Descriptions are left out. What is empty or usual is left out as well.

    server       the release, e.g. "v1.34.4"
    groups       in the order of /apis, core ("") first: name, versions (the preferred one first)
    resources    in the order of discovery, one line each:
        group version plural kind singular namespaced verbs shortNames categories
        storageVersionHash, type (the component of the kind),
        subresources: name kind verbs, group and version where they are not the resource's own,
        type (none for kinds that come as a query, e.g. PodExecOptions)
    kinds        "apiVersion/Kind" -> component, also for lists and for kinds without a resource
    types        component -> type, one line each:
        form     what it is where it is no struct: time, microtime, quantity, int-or-string,
                 raw (RawExtension), fields (FieldsV1), json (any value), schema-or-array,
                 schema-or-bool, schema-or-strings
        fields   in the order of the Go struct, in which the server writes JSON
        map      x-kubernetes-map-type;  unions: x-kubernetes-unions
        gvks     x-kubernetes-group-version-kind

A field:

    name
    type         string integer number boolean array map ref any
    format       int32 int64 double byte
    ref          component, with type ref
    items        the same keys for the elements of an array or the values of a map
    default      as OpenAPI states it; {} for a struct that is no pointer
    enum         the values OpenAPI allows
    list keys    x-kubernetes-list-type, x-kubernetes-list-map-keys
    map          x-kubernetes-map-type
    patch        x-kubernetes-patch-strategy
    mergeKey     x-kubernetes-patch-merge-key
    required     true if OpenAPI requires it
    go           the Go type where it does not follow from type: v1.PullPolicy, v1.ResourceList.
                 Error messages name it: "cannot unmarshal number into Go struct field
                 Container.imagePullPolicy of type v1.PullPolicy"
    pointer      true if the Go field is a pointer: absent and empty are different things
    omit         when the server leaves the field out of its JSON. Usual, and not written, is
                 "empty": false, 0, "", no elements, no pointer; a struct is never empty, so that
                 it shows as {}. "never": it always shows, a null included. "zero": a struct of
                 nothing but zeros. "empty,zero": either.
"""

import argparse
import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tools.kinds.resources import groups, resources
from tools.kinds.source import Server, Source, read
from tools.kinds.types import kinds, types

TARGET = Path(__file__).parent.parent / "src" / "kedge" / "apiserver" / "kinds" / "builtin.json"


def render(source: Source) -> str:
    """Write the table with one resource, kind or type a line, so that changes can be read."""
    known = kinds(source.schemas)
    listed = "\n".join(
        [
            f'"server":{_short(source.version)},',
            f'"groups":[\n{_lines(groups(source))}\n],',
            f'"resources":[\n{_lines(resources(source, known))}\n],',
            f'"kinds":{{\n{_pairs(known)}\n}},',
            f'"types":{{\n{_pairs(types(source.schemas, source.go))}\n}}',
        ]
    )
    return "{\n" + listed + "\n}\n"


def _lines(rows: Iterable[Any]) -> str:
    return ",\n".join(map(_short, rows))


def _pairs(rows: dict[str, Any]) -> str:
    return ",\n".join(f"{_short(key)}:{_short(value)}" for key, value in rows.items())


def _short(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))


def main() -> None:
    """Ask, shorten, write."""
    parser = argparse.ArgumentParser(description="Write the table of built-in kinds.")
    parser.add_argument("--kubeconfig", type=Path, required=True, help="of a real server")
    asked = parser.parse_args()
    text = render(read(Server(asked.kubeconfig)))
    TARGET.write_text(text)
    sys.stdout.write(f"wrote {TARGET.name}: {len(text)} bytes\n")


if __name__ == "__main__":
    main()
