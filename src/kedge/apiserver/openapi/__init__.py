"""OpenAPI documents of all that is served: for explain, validation by clients, and apply."""

from kedge.apiserver.openapi.serving import OpenApi

__all__ = ["OpenApi"]
