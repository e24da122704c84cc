"""Manifests as text that `kubectl apply -f -` takes."""

from collections.abc import Sequence

from kedge.kube.kind import Object


def as_text(objects: Sequence[Object], output: str) -> str:
    """Write objects as a stream of YAML documents, or as one List in JSON."""
    if output == "json":
        import json

        wrapped = {"apiVersion": "v1", "kind": "List", "items": list(objects)}
        return json.dumps(wrapped, indent=2) + "\n"
    import yaml

    dumper = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
    return "".join(
        "---\n" + yaml.dump(obj, Dumper=dumper, sort_keys=False, width=100, allow_unicode=True)
        for obj in objects
    )
