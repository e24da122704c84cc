"""Build the real Helm, which the tests of the chart run.

Usage: python -m tools.helm.build

It goes to the user's cache folder, kedge/helm/VERSION/; what is there with the right version is
left as it is. go.mod and go.sum pin every module.
"""

from pathlib import Path

from tools.goprogram import GoProgram

VERSION = "3.22.0"
MODULE = "helm.sh/helm/v3"
KUBERNETES = ("1", "37")
"""The release of the Kubernetes modules in go.mod, which `helm template` takes for granted."""
TOLD = {
    f"{MODULE}/internal/version.version": f"v{VERSION}",
    **{
        f"{MODULE}/pkg/{package}.k8sVersion{part}": number
        for package in ("chartutil", "lint/rules")
        for part, number in zip(("Major", "Minor"), KUBERNETES, strict=True)
    },
}
HELM = GoProgram(
    name="helm",
    release=VERSION,
    sources=Path(__file__).parent,
    package=f"{MODULE}/cmd/helm",
    module=f"{MODULE} v{VERSION}",
    ldflags=" ".join(["-s", "-w", *(f"-X {name}={value}" for name, value in TOLD.items())]),
)

if __name__ == "__main__":
    HELM.build()
