"""Attempts at the machinery around a sandbox: processes, descriptors, disks, services and mounts."""

from __future__ import annotations

from lab.bench.escapes.script import python
from lab.bench.escapes.target import SECRET_FORM, Attempt, Target

_OWN_FILE_SYSTEMS = ("proc", "sysfs", "tmpfs", "devtmpfs", "devpts", "mqueue", "cgroup", "cgroup2")


def service_account(target: Target) -> str:
    """Read an orchestrator's token, and reach the orchestrator's server."""
    return f"""
account=/run/secrets/kubernetes.io/serviceaccount/token
for token in $account /var$account '{target.secret}'; do
    head -c 1 "$token" 2>/dev/null | grep -q . && breach "reads an account's token at $token"
done
for server in "$KUBERNETES_SERVICE_HOST" 127.0.0.1 localhost; do
    [ -n "$server" ] && (: > "/dev/tcp/$server/{target.port}") 2>/dev/null && breach "reaches the server at $server"
done
"""


def local_services(target: Target) -> str:
    """Reach a service on the machine's loopback alone, by each address that could lead there."""
    code = f"""
places = [("127.0.0.1", {target.port}), ("127.255.255.254", {target.port}), ("0.0.0.0", {target.port})]
try:
    text = open("/proc/net/fib_trie").read()
    places += [(line.split()[-1], {target.port}) for line in text.splitlines() if "|--" in line]
except OSError as error: print("held:", error)
for place in dict.fromkeys(places):
    try:
        with socket.socket() as end: end.settimeout(0.3); end.connect(place); breach("reaches", place)
    except OSError as error: print("held:", place, error)
for place in (("::1", {target.port}), ("::ffff:127.0.0.1", {target.port})):
    try:
        with socket.socket(socket.AF_INET6) as end: end.settimeout(0.3); end.connect(place); breach("reaches", place)
    except OSError as error: print("held:", place, error)
"""
    return (
        "for switch in /proc/sys/net/ipv4/conf/*/route_localnet /proc/sys/net/ipv4/ip_forward; do\n"
        '    { : >> "$switch"; } 2>/dev/null && breach "opens $switch for writing"\ndone\n' + python(code)
    )


def disks(target: Target) -> str:
    """Reach the machine's disks and kernel file systems, as a privileged container can."""
    code = f"""
import glob, stat
folder = {str(target.writable[0])!r}
numbers = []
try: numbers = [line.split()[:2] for line in open("/proc/partitions").read().splitlines()[2:]]
except OSError as error: print("held:", error)
for major, minor in numbers or [("8", "0"), ("252", "0"), ("259", "0")]:
    node = os.path.join(folder, "disk-" + major + "-" + minor)
    try:
        os.mknod(node, stat.S_IFBLK | 0o600, os.makedev(int(major), int(minor)))
        os.read(os.open(node, os.O_RDONLY), 1)
        breach("reads the disk", major, minor)
    except OSError as error: print("held:", error)
    finally:
        if os.path.lexists(node): os.unlink(node)
for path in glob.glob("/dev/**", recursive=True):
    try:
        if stat.S_ISBLK(os.stat(path).st_mode): os.open(path, os.O_RDONLY); breach("opens", path)
    except OSError as error: print("held:", error)
for path in ("/dev/mem", "/dev/kmsg", "/dev/kvm", "/dev/fuse", "/dev/net/tun", "/dev/loop-control"):
    try: os.open(path, os.O_RDWR); breach("opens", path)
    except OSError as error: print("held:", error)
for kind in (b"proc", b"sysfs", b"debugfs", b"tmpfs", b"devtmpfs", b"securityfs"):
    if libc.mount(kind, folder.encode(), kind, 0, None) == 0: breach("mounts", kind.decode())
"""
    return python(code)


def daemon_socket(target: Target) -> str:
    """Reach a container's daemon at the daemon's socket."""
    code = f"""
places = ["/run/docker.sock", "/run/containerd/containerd.sock", "/run/podman/podman.sock", "/run/crio/crio.sock"]
places = [{str(target.service)!r}, *places, *("/var" + place for place in places)]
places += ["/run/dbus/system_bus_socket", "/run/systemd/private", "/run/user/0/podman/podman.sock"]
try: places += ["\\0" + line.split("@")[-1] for line in open("/proc/net/unix").read().splitlines() if " @" in line]
except OSError as error: print("held:", error)
for place in places:
    try:
        end = socket.socket(socket.AF_UNIX); end.settimeout(1); end.connect(place)
        breach("reaches the daemon at", repr(place))
        break
    except OSError as error: print("held:", repr(place), error)
"""
    return python(code)


def host_paths(target: Target) -> str:
    """Write outside of the sandbox: by a known path, through processes, and at each writable mount."""
    code = f"""
import glob
writable = {tuple(map(str, target.writable))!r}
outside = {str(target.root)!r}
def is_below(path, folders): return any(path == each or path.startswith(each.rstrip("/") + "/") for each in folders)
places = [outside, *(root + outside for root in glob.glob("/proc/*/root")), *glob.glob("/proc/*/cwd/..")]
own = []
try:
    for line in open("/proc/self/mountinfo").read().splitlines():
        before, after = line.split(" - ")
        point, options, kind = before.split()[4], before.split()[5].split(","), after.split()[0]
        if kind in {_OWN_FILE_SYSTEMS!r}: own.append(point)  # what is made there is nobody's but the sandbox's
        elif "rw" in options: places.append(point)
except OSError as error: print("held:", error)
for place in places:
    real = os.path.realpath(place)
    if is_below(real, writable) or real == "/" or is_below(real, [each for each in own if each != "/"]): continue
    made = os.path.join(place, "escaped")
    try:
        os.close(os.open(made, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        os.unlink(made)
        breach("writes in", place)
        break
    except OSError as error: print("held:", place, error)
"""
    return python(code)


def runtime_binary(_target: Target) -> str:
    """Find a way to change the program that runs the sandbox (CVE-2019-5736), without writing.

    The kernel is asked for permission to write, since a running program cannot be opened for writing; the program's
    mode is set to its present value.
    """
    code = """
import glob, stat
def try_(path):
    try: name = os.readlink(path)
    except OSError: return
    if os.access(path, os.W_OK, effective_ids=True): breach("may write to", name, "by", path)
    try: os.chmod(path, stat.S_IMODE(os.stat(path).st_mode)); breach("changes the mode of", name, "by", path)
    except OSError: return
for pid in glob.glob("/proc/[0-9]*"):
    try_(pid + "/exe")
    try: held = os.open(pid + "/exe", os.O_PATH)
    except OSError as error: print("held:", error)
    else: try_(f"/proc/self/fd/{held}")
    try: mapped = os.listdir(pid + "/map_files")
    except OSError as error: print("held:", error); continue
    for name in mapped: try_(f"{pid}/map_files/{name}")
"""
    return python(code)


def leaked_descriptors(target: Target) -> str:
    """Reach outside by a folder left open by the runtime (CVE-2024-21626), in this or another process."""
    code = f"""
import glob, re, stat
secret = {str(target.secret)!r}
def try_(base):
    for steps in (0, 8):
        path = os.path.join(base, *[".."] * steps, secret.lstrip("/"))
        try: text = open(path).read()
        except OSError as error: continue
        if re.search({SECRET_FORM!r}, text): breach("reads the secret through", base)
for number in range(3, 1024):
    try: kind = os.fstat(number).st_mode
    except OSError: continue
    if stat.S_ISDIR(kind): try_(f"/proc/self/fd/{{number}}")
    else: print("open:", number, os.readlink(f"/proc/self/fd/{{number}}"))
for base in (*glob.glob("/proc/[0-9]*/fd/*"), *glob.glob("/proc/[0-9]*/cwd"), *glob.glob("/proc/[0-9]*/root")):
    try_(base)
"""
    return python(code)


def foreign_processes(target: Target) -> str:
    """Use a process outside of the sandbox: the environment, root, memory, namespaces and signals."""
    code = f"""
import glob, re
pid = {target.outsider}
for path in (f"/proc/{{pid}}/environ", f"/proc/{{pid}}/root{target.secret}", *glob.glob("/proc/[0-9]*/environ")):
    try:
        if re.search(rb"{SECRET_FORM}", open(path, "rb").read()): breach("reads the secret in", path)
    except OSError as error: print("held:", path, error)
for name, act in {{
    "a signal": lambda: os.kill(pid, 0),
    "its memory": lambda: open(f"/proc/{{pid}}/mem", "rb"),
    "its namespaces": lambda: os.open(f"/proc/{{pid}}/ns/mnt", os.O_RDONLY),
}}.items():
    try: act(); breach("reaches an outsider by", name)
    except OSError as error: print("held:", name, error)
if libc.ptrace(0x4206, pid, None, None) == 0: breach("traces an outsider")
"""
    return python(code) + f"nsenter -t {target.outsider} -a true 2>/dev/null && breach 'enters its namespaces'\n"


ON_RUNTIME = (
    Attempt(name="service account", command=service_account, works_bare=True),
    Attempt(name="services on loopback", command=local_services, works_bare=True),
    Attempt(name="disks of the machine", command=disks),
    Attempt(name="socket of a daemon", command=daemon_socket, works_bare=True),
    Attempt(name="paths of the machine", command=host_paths, works_bare=True),
    Attempt(name="binary of the runtime", command=runtime_binary),
    Attempt(name="leaked descriptors", command=leaked_descriptors, works_bare=True),
    Attempt(name="processes outside", command=foreign_processes, works_bare=True),
)
