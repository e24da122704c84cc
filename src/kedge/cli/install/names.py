"""The names by which the objects of an installation find each other. Pure."""

from typing import Any, Final

NAME: Final = "kedge"
LABELS: Final = {"app.kubernetes.io/name": NAME}
SELECTOR: Final = ",".join(f"{key}={value}" for key, value in LABELS.items())
"""Of what has these labels."""
PORT: Final = 8085
PORT_NAME: Final = "metrics"
DOWNLOADS: Final = 8086
DOWNLOADS_NAME: Final = "downloads"
SECRET_NAME: Final = "cloud-credentials"
SECRET_KEY: Final = "cloud"
LOCATION_NAME: Final = "default"


def meta_in(namespace: str, name: str = NAME) -> dict[str, Any]:
    """Give the metadata of an object that is in the namespace of the server."""
    return {"name": name, "namespace": namespace, "labels": dict(LABELS)}
