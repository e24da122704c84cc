"""Names of images: only their tag matters here, for it decides the pull policy."""

import re
from functools import lru_cache

LONGEST = 4096
"""No reference that can be pulled comes near; a longer one is not looked into."""
LONGEST_PATH = 255
LABEL = r"[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?"
HOST = rf"(?:{LABEL}(?:\.{LABEL})*|\[[a-fA-F0-9:]+\])(?::[0-9]+)?"
PART = r"[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*"
DIGEST = r"[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}"
REFERENCE = re.compile(
    rf"{HOST}/(?P<path>{PART}(?:/{PART})*)(?::(?P<tag>\w[\w.-]{{0,127}}))?(?:@(?P<digest>{DIGEST}))?",
    re.ASCII,
)
IDENTIFIER = re.compile(r"[a-f0-9]{64}")
DIGESTS = {
    "sha256": re.compile(r"[a-f0-9]{64}"),
    "sha384": re.compile(r"[a-f0-9]{96}"),
    "sha512": re.compile(r"[a-f0-9]{128}"),
}


@lru_cache(maxsize=4096)
def pull_policy(image: str) -> str:
    """Give the policy of a container that states none: only what may move is pulled always."""
    return "Always" if _tag(image) == "latest" else "IfNotPresent"


def _tag(image: str) -> str:
    """Give the tag, `latest` without tag and digest; nothing for what is no reference."""
    if len(image) > LONGEST or IDENTIFIER.fullmatch(image):
        return ""
    domain, rest = _split(image)
    name = rest.partition(":")[0]
    match = REFERENCE.fullmatch(f"{domain}/{rest}")
    if match is None or name.lower() != name or len(match["path"]) > LONGEST_PATH:
        return ""
    digest = match["digest"]
    if digest:
        algorithm, _, value = digest.partition(":")
        if algorithm not in DIGESTS or not DIGESTS[algorithm].fullmatch(value):
            return ""
    return match["tag"] or ("" if digest else "latest")


def _split(image: str) -> tuple[str, str]:
    """Give the registry and the rest; what does not look like a registry belongs to the rest."""
    first, slash, rest = image.partition("/")
    if not slash:
        return "docker.io", f"library/{image}"
    if first == "localhost" or "." in first or ":" in first or first.lower() != first:
        return first, rest
    return "docker.io", image
