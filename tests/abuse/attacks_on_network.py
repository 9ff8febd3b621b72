"""Reaching services: 13, 14."""

from __future__ import annotations

from tests.abuse.case import Case, python
from tests.abuse.ground import Ground


def loopback(ground: Ground) -> str:
    code = f"""
def try_(name, act):
    try: act(); breach(name)
    except OSError as error: print("held:", name, error)
def tcp(family, place):
    with socket.socket(family, socket.SOCK_STREAM) as end:
        end.settimeout(2); end.connect(place)
def udp(family, place):
    with socket.socket(family, socket.SOCK_DGRAM) as end: end.sendto(b"out", place)
def udp_connected(family, place):
    with socket.socket(family, socket.SOCK_DGRAM) as end: end.connect(place); end.send(b"out")
def fast_open(family, place):
    with socket.socket(family, socket.SOCK_STREAM) as end: end.sendto(b"out", 0x20000000, place)
try_("TCP", lambda: tcp(socket.AF_INET, ("127.0.0.1", {ground.port})))
try_("TCP by mapped address", lambda: tcp(socket.AF_INET6, ("::ffff:127.0.0.1", {ground.port})))
try_("TCP fast open", lambda: fast_open(socket.AF_INET, ("127.0.0.1", {ground.port})))
"""
    return (
        f"(: > /dev/tcp/127.0.0.1/{ground.port}) 2>/dev/null && breach 'bash reaches TCP'\n"
        f"(: > /dev/tcp/localhost/{ground.port}) 2>/dev/null && breach 'bash reaches TCP by name'\n" + python(code)
    )


def datagrams(ground: Ground) -> str:
    """In a network namespace of its own a datagram may go out, to nobody; what counts is that it does not arrive."""
    port = ground.datagrams.getsockname()[1]
    code = f"""
for act in (lambda end: end.sendto(b"out", ("127.0.0.1", {port})), lambda end: (end.connect(("127.0.0.1", {port})), end.send(b"out"))):
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as end: act(end)
        print("sent")
    except OSError as error: print("held:", error)
"""
    return python(code)


def outside(ground: Ground) -> str:
    """Whether there is any way out is asked without sending anything: a connected datagram socket needs a route."""
    code = """
for place in ("192.0.2.1", "8.8.8.8", "169.254.169.254"):
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as end: end.connect((place, 53))
        breach("has a route to", place)
    except OSError as error: print("held:", error)
for family, kind, protocol in ((socket.AF_PACKET, socket.SOCK_RAW, 0), (socket.AF_INET, socket.SOCK_RAW, 1), (40, 1, 0)):
    try: socket.socket(family, kind, protocol); breach("has a socket of family", family, "kind", kind)
    except OSError as error: print("held:", error)
"""
    return python(code)


def unix_sockets(ground: Ground) -> str:
    name = ground.abstract.getsockname()
    label = (name if isinstance(name, str) else name.decode()).lstrip("\0")
    code = f"""
for kind in (socket.SOCK_STREAM, socket.SOCK_SEQPACKET):
    for place in ("\\0{label}", "{ground.root}/service.sock"):
        try:
            with socket.socket(socket.AF_UNIX, kind) as end: end.settimeout(2); end.connect(place)
            breach("reaches", repr(place))
        except OSError as error: print("held:", error)
try:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as end: end.sendto(b"x", "/dev/log"); breach("writes the log")
except OSError as error: print("held:", error)
for path in ("/run/docker.sock", "/var/run/docker.sock", "/run/dbus/system_bus_socket", "/run/systemd/private"):
    if os.path.exists(path): breach("sees", path)
"""
    return python(code)


ON_NETWORK = (
    Case(13, "services on loopback", loopback, works_bare=True),
    Case(13, "datagrams", datagrams),
    Case(13, "the world outside", outside, works_bare=True),
    Case(14, "unix sockets of the host", unix_sockets, works_bare=True),
)
