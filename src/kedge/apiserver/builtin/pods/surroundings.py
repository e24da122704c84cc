"""What the rules for one part of a pod must know of the rest of it."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from kedge.apiserver.resource import Object

CONTAINER_LISTS = ("initContainers", "containers", "ephemeralContainers")
"""In the order in which rules visit them."""


@dataclass(frozen=True, slots=True)
class Options:
    """Which rules hold. What an old object broke already, an update of it may go on breaking."""

    is_pod: bool = False
    """A pod itself, not a template."""
    uneven_huge_pages: bool = False
    """Amounts of huge pages need not be multiples of their size."""
    loose_selector_values: bool = False
    """Values in selectors of affinities need not be label values."""
    loose_node_affinity: bool = False
    """Values in required node affinities need not be label values."""
    loose_spread_selectors: bool = False
    """Selectors of topology spread constraints are not checked."""
    old_match_label_keys: bool = False
    """matchLabelKeys of topology spread constraints obey the rule of older servers."""
    free_token_paths: bool = False
    """Paths of projected tokens are not checked."""
    host_sysctls: bool = False
    """Sysctls of a namespace that is the host's are allowed."""
    any_selinux_policy: bool = False
    """seLinuxChangePolicy may be other than Recursive."""
    devices_in_user_namespace: bool = False
    """Block devices are allowed together with hostUsers: false."""
    loose_deletion_cost: bool = False
    """The annotation of the deletion cost need not be a number."""


STRICT = Options()
STRICT_POD = Options(is_pod=True)


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The pod around a container."""

    options: Options = STRICT
    volumes: dict[str, Object] = field(default_factory=dict)
    """Those without errors, by name."""
    claims: frozenset[str] = frozenset()
    """Names of the pod's resource claims."""
    grace: int | None = None
    """terminationGracePeriodSeconds."""
    restart_policy: str = ""
    host_users: bool = True
    """The pod shares the user namespace of its host."""
    os: str | None = None


def containers(spec: Object, path: str) -> Iterator[tuple[str, Object]]:
    """Visit the containers of every sort, each with its path; `path` is that of the spec."""
    for name in CONTAINER_LISTS:
        for index, container in enumerate(spec.get(name) or ()):
            yield f"{path}.{name}[{index}]", container


def all_containers(spec: Object) -> Iterator[Object]:
    """Visit the containers of every sort."""
    for name in CONTAINER_LISTS:
        yield from spec.get(name) or ()
