"""Gaining rights, and reaching parts of the kernel: 1, 10, 28, 36, 37."""

from __future__ import annotations

from tests.abuse.case import Case, python
from tests.abuse.ground import Ground

_RIGHTS = """
class Header(ctypes.Structure): _fields_ = [("version", ctypes.c_uint32), ("pid", ctypes.c_int)]
words = (ctypes.c_uint32 * 6)()
libc.capget(ctypes.byref(Header(0x20080522, 0)), ctypes.byref(words))
if any(words[:2]) or any(words[3:5]): breach("has capabilities", list(map(hex, words)))
"""


def rights(ground: Ground) -> str:
    return python(_RIGHTS + "\nif libc.prctl(39, 0, 0, 0, 0) != 1: breach('could gain rights by exec')")


def rights_by_su(ground: Ground) -> str:
    inner = "python3 -I -S -c '$code'"
    return f"""
code=$(cat <<'END'
import ctypes
libc = ctypes.CDLL(None)
def breach(*words): print("BREACH:", *words)
{_RIGHTS}
END
)
for way in "su -c" "su root -c" "sudo -n sh -c" "sg root -c" "setpriv --reuid 0 sh -c" "newgrp"; do
    $way "python3 -I -S -c '$code'" < /dev/null 2>/dev/null
done
cp /usr/bin/env own-su 2>/dev/null; chmod u+s own-su 2>/dev/null && breach "makes a program that runs as its owner"
chmod g+s own-su 2>/dev/null && breach "makes a program that runs as its group"
: {inner}
"""


def namespaces(ground: Ground) -> str:
    code = """
for name, flag in (("user", 0x10000000), ("mount", 0x20000), ("pid", 0x20000000), ("net", 0x40000000), ("time", 0x80)):
    if libc.unshare(flag) == 0: breach("unshares", name)
class CloneArguments(ctypes.Structure): _fields_ = [(f"a{n}", ctypes.c_uint64) for n in range(11)]
arguments = CloneArguments(a0=0x10000000, a4=17)
done, number = syscall(435, ctypes.byref(arguments), ctypes.sizeof(arguments))
if done == 0: os._exit(0)
if done > 0: breach("clone3 makes a user namespace")
done, number = syscall(56, 0x10000000 | 17, 0, 0, 0, 0)
if done == 0: os._exit(0)
if done > 0: breach("clone makes a user namespace")
"""
    return (
        "unshare -Ur true 2>/dev/null && breach 'unshare -Ur'\n"
        "unshare -m true 2>/dev/null && breach 'unshare -m'\n"
        "unshare -Urn true 2>/dev/null && breach 'unshare -Urn'\n"
        "bwrap --ro-bind / / true 2>/dev/null && breach 'a sandbox in the sandbox'\n" + python(code)
    )


def switches_of_the_machine(ground: Ground) -> str:
    """Opened for writing, never written."""
    return """
for switch in /proc/sys/kernel/core_pattern /proc/sysrq-trigger /proc/sys/kernel/modprobe /proc/sys/vm/overcommit_memory \
        /proc/sys/kernel/randomize_va_space /proc/sys/fs/suid_dumpable /sys/kernel/uevent_helper /sys/power/state \
        /sys/fs/cgroup/cgroup.procs /sys/kernel/debug/tracing/trace /proc/sys/net/ipv4/ip_forward /proc/kmsg \
        /proc/kcore /sys/firmware/efi; do
    { : >> $switch; } 2>/dev/null && breach "opens $switch for writing"
done
find /proc -mindepth 1 \\( -path '/proc/[0-9]*' -o -path /proc/self -o -path /proc/thread-self \\) -prune \
        -o -type f -perm /u+w -print 2>/dev/null | while read -r switch; do
    { : >> "$switch"; } 2>/dev/null && breach "opens $switch for writing"
done | head -n 20
head -c 1 /proc/kcore 2>/dev/null | grep -q . && breach "reads the kernel's memory"
timeout 1 head -c 1 /proc/kmsg 2>/dev/null | grep -q . && breach "reads the kernel's messages"
dmesg 2>/dev/null | grep -q . && breach "dmesg"
"""


_CALLS = {
    "ptrace": (101, 0),
    "process_vm_readv": (310, 0),
    "process_vm_writev": (311, 0),
    "kcmp": (312, 0),
    "keyctl": (250, 0),
    "add_key": (248, 0),
    "request_key": (249, 0),
    "bpf": (321, 0),
    "userfaultfd": (323, 0),
    "io_uring_setup": (425, 0),
    "io_uring_enter": (426, 0),
    "io_uring_register": (427, 0),
    "perf_event_open": (298, 0),
    "mount": (165, 0),
    "umount2": (166, 0),
    "pivot_root": (155, 0),
    "open_tree": (428, 0),
    "move_mount": (429, 0),
    "fsopen": (430, 0),
    "mount_setattr": (442, 0),
    "setns": (308, 0),
    "chroot": (161, 0),
    "kexec_load": (246, 0),
    "kexec_file_load": (320, 0),
    "init_module": (175, 0),
    "finit_module": (313, 0),
    "delete_module": (176, 0),
    "swapon": (167, 0),
    "acct": (163, 0),
    "quotactl": (179, 0),
    "open_by_handle_at": (304, 0),
    "pidfd_getfd": (438, 0),
    "move_pages": (279, 0),
    "fanotify_init": (300, 0),
    "iopl": (172, 0),
    "modify_ldt": (154, 0),
    "settimeofday": (164, 0),
    "syslog": (103, 0),
}
"""Numbers on x86_64; called with arguments that make no sense, so that nothing happens where they are let in."""


def rare_calls(ground: Ground) -> str:
    code = f"""
import errno
if os.uname().machine != "x86_64": sys.exit()
for name, (number, _) in {_CALLS!r}.items():
    done, fault = syscall(number, -1, -1, -1, -1, -1)
    if done >= 0 or fault not in (errno.EPERM, errno.ENOSYS): breach("reaches", name, errno.errorcode.get(fault, fault))
"""
    return python(code)


def foreign_conventions(ground: Ground) -> str:
    """The same call by another convention must not get around the filter; whoever tries is killed."""
    code = """
import mmap
if os.uname().machine != "x86_64": sys.exit()
def run(machine_code):
    page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    page.write(machine_code)
    return ctypes.CFUNCTYPE(ctypes.c_long)(ctypes.addressof(ctypes.c_char.from_buffer(page)))()
ways = {
    "int 0x80 (getpid)": b"\\xb8\\x14\\x00\\x00\\x00\\xcd\\x80\\xc3",
    "x32 (getpid)": b"\\xb8\\x27\\x00\\x00\\x40\\x0f\\x05\\xc3",
}
for name, machine_code in ways.items():
    child = os.fork()
    if child == 0:
        os._exit(0 if run(machine_code) > 0 else 1)
    _, status = os.waitpid(child, 0)
    if status == 0: breach("by", name)
    else: print("held:", name, status)
"""
    return python(code)


ON_KERNEL = (
    Case(1, "capabilities and no new privileges", rights, works_bare=True),
    Case(10, "nested namespaces", namespaces),
    Case(28, "switches of the machine", switches_of_the_machine),
    Case(36, "su and set-id programs", rights_by_su),
    Case(37, "rare system calls", rare_calls, works_bare=True),
    Case(37, "foreign calling conventions", foreign_conventions),
)
