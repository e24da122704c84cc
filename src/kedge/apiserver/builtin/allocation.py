"""Which service has which cluster IP and node ports, and which are free.

The objects in the store are the truth; this is an index of them, and of what writes that are
under way have taken.
"""

from collections.abc import Callable, Container, Iterator
from ipaddress import IPv4Address, IPv4Network
from random import Random, SystemRandom

from kedge.apiserver.builtin.addresses import parse_ip
from kedge.apiserver.resource import Object

NETWORK = IPv4Network("10.0.0.0/24")
PORTS = range(30000, 32768)
FULL = "range is full"
IP_TAKEN = "provided IP is already allocated"
PORT_TAKEN = "provided port is already allocated"
WRONG_NETWORK = "the provided network does not match the current range"
FEWEST = 16
"""So many of a range are left at least to those who ask for one by name."""
DRY_PORT = 32769
"""What a dry run shows as the first port."""


class Refused(Exception):
    """An address or a port that can not be had; the text says why."""


class Allocations:
    """What all services have. An owner is the `namespace/name` of a service."""

    def __init__(
        self,
        network: IPv4Network = NETWORK,
        ports: range = PORTS,
        random: Random | None = None,
    ) -> None:
        """Give out addresses of this network and these ports."""
        self.network = network
        self.port_range = ports
        self.random = random or SystemRandom()
        self.ips: dict[int, str] = {}
        self.ports: dict[int, str] = {}
        self._owned: dict[str, tuple[set[int], set[int]]] = {}

    def learn(self, owner: str, service: Object | None) -> None:
        """Set what an owner has to what the stored service says; None: there is no such service.

        To be called for every stored service at the start, for every change of one, and after a
        write that failed.
        """
        ips, ports = self._owned.pop(owner, ((), ()))
        for ip in ips:
            del self.ips[ip]
        for port in ports:
            del self.ports[port]
        if service is not None:
            for ip in cluster_ips(service):
                self.hold_ip(owner, ip)
            for port in node_ports(service):
                self.hold_port(owner, port)

    def hold_ip(self, owner: str, ip: int) -> None:
        """Enter that an owner has an address; the first one keeps it."""
        if self.ips.setdefault(ip, owner) == owner:
            self._of(owner)[0].add(ip)

    def hold_port(self, owner: str, port: int) -> None:
        """Enter that an owner has a port; the first one keeps it."""
        if self.ports.setdefault(port, owner) == owner:
            self._of(owner)[1].add(port)

    def release(self, owner: str, ips: list[int], ports: list[int]) -> None:
        """Take back what an owner was given."""
        held = self._of(owner)
        for ip in ips:
            held[0].discard(ip)
            self.ips.pop(ip, None)
        for port in ports:
            held[1].discard(port)
            self.ports.pop(port, None)

    def _of(self, owner: str) -> tuple[set[int], set[int]]:
        return self._owned.setdefault(owner, (set(), set()))

    def free_ip(self) -> int:
        """Draw a free address: the first few are left to those who ask for one by name."""
        first, last = int(self.network[1]), int(self.network[-2])
        reserved = _reserved(self.network.num_addresses, 16, 256)
        return self._draw(first, last, reserved, self.ips)

    def free_port(self) -> int:
        """Draw a free port: the first few are left to those who ask for one by number."""
        first, last = self.port_range[0], self.port_range[-1]
        reserved = _reserved(len(self.port_range), 32, 128)
        return self._draw(first, last, reserved, self.ports)

    def _draw(self, first: int, last: int, reserved: int, used: Container[int]) -> int:
        for low, high in ((first + reserved, last), (first, first + reserved - 1)):
            if low > high:
                continue
            for number in _around(low, high, self.random.randint(low, high)):
                if number not in used:
                    return number
        raise Refused(FULL)


def _reserved(size: int, step: int, most: int) -> int:
    """Tell how many of a range are left to those who ask by name; of a small one, none."""
    return min(max(FEWEST, size // step), most) if size > FEWEST else 0


def _around(low: int, high: int, start: int) -> Iterator[int]:
    yield from range(start, high + 1)
    yield from range(low, start)


class Taking:
    """What one write takes. A dry run takes nothing, and looks at little."""

    def __init__(self, allocations: Allocations, owner: str, dry_run: bool) -> None:
        """Take for this owner."""
        self.allocations = allocations
        self.owner = owner
        self.dry_run = dry_run
        self.ips: list[int] = []
        self.ports: list[int] = []

    def ip(self, text: str) -> None:
        """Take an address by name, or raise Refused."""
        network = self.allocations.network
        address = parse_ip(text)
        usable = isinstance(address, IPv4Address) and int(network[0]) < int(address) < int(
            network[-1]
        )
        if self.dry_run:
            if not usable:
                raise Refused(
                    f"the provided IP ({address}) is not in the valid range. "
                    f"The range of valid IPs is {network}"
                )
            return
        if not usable:
            raise Refused(WRONG_NETWORK)
        number = int(address)  # type: ignore[arg-type]
        if number in self.allocations.ips:
            raise Refused(IP_TAKEN)
        self._hold(self.ips, self.allocations.hold_ip, number)

    def next_ip(self) -> str:
        """Take any address, or raise Refused."""
        if self.dry_run:
            return str(self.allocations.network[0])
        number = self.allocations.free_ip()
        self._hold(self.ips, self.allocations.hold_ip, number)
        return str(IPv4Address(number))

    def port(self, number: int) -> None:
        """Take a port by number, or raise Refused."""
        taken = number in self.allocations.ports
        if self.dry_run:
            if taken or number in self.ports:
                raise Refused(PORT_TAKEN)
            self.ports.append(number)
            return
        ports = self.allocations.port_range
        if number not in ports:
            raise Refused(
                "provided port is not in the valid range. "
                f"The range of valid ports is {ports[0]}-{ports[-1]}"
            )
        if taken:
            raise Refused(PORT_TAKEN)
        self._hold(self.ports, self.allocations.hold_port, number)

    def next_port(self) -> int:
        """Take any port, or raise Refused."""
        if self.dry_run:
            number = max(self.ports) + 1 if self.ports else DRY_PORT
            self.ports.append(number)
            return number
        number = self.allocations.free_port()
        self._hold(self.ports, self.allocations.hold_port, number)
        return number

    def _hold(self, taken: list[int], hold: Callable[[str, int], None], number: int) -> None:
        taken.append(number)
        hold(self.owner, number)

    def undo(self) -> None:
        """Give back what was taken."""
        if not self.dry_run:
            self.allocations.release(self.owner, self.ips, self.ports)


def cluster_ips(service: Object) -> list[int]:
    """Give the addresses that a service has."""
    found = map(parse_ip, (service.get("spec") or {}).get("clusterIPs") or ())
    return [int(ip) for ip in found if isinstance(ip, IPv4Address)]


def node_ports(service: Object) -> list[int]:
    """Give the ports of the nodes that a service has."""
    spec = service.get("spec") or {}
    ports = [port["nodePort"] for port in spec.get("ports") or () if port.get("nodePort")]
    health = spec.get("healthCheckNodePort")
    return [*ports, health] if health else ports
