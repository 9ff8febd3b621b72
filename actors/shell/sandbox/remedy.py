"""Remedies: a sentence with an operator's steps on this machine to make bubblewrap work.

The cause is found from the kernel's settings, the marks of container runtimes and bubblewrap's messages.
"""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

_UNSHARE = """
import ctypes, sys
sys.exit(ctypes.get_errno() if ctypes.CDLL(None, use_errno=True).unshare(0x10000000) else 0)
"""
"""CLONE_NEWUSER."""
_TRIAL_S = 5.0
_KEEP = "(and in a file of /etc/sysctl.d, to keep it)"
_PROFILE = "/etc/apparmor.d/remembrancer-bwrap"
ROOT = Path("/")
"""Folder above /proc and the marks of containers."""
_CONTAINER_MARKS = {
    "run/.containerenv": "podman",
    "run/secrets/kubernetes.io": "kubernetes",
    ".dockerenv": "docker",
    "run/systemd/container": "other",
}
"""File or folder left by a container's runtime -> the runtime."""
_OPTIONS = {
    "docker": "start it with --security-opt seccomp=unconfined --security-opt systempaths=unconfined, and with "
    "--security-opt apparmor=unconfined where the host has AppArmor",
    "podman": "start it with --security-opt seccomp=unconfined --security-opt unmask=ALL, and with "
    "--security-opt label=disable where the host has SELinux",
    "kubernetes": "give it a seccompProfile and an appArmorProfile of type Unconfined, and procMount Unmasked",
    "lxc": "set security.nesting=true for it (lxc config set NAME security.nesting=true)",
}
_OTHER_OPTIONS = (
    "start it without a seccomp filter and without masks on /proc (--security-opt seccomp=unconfined "
    "--security-opt systempaths=unconfined), and with --security-opt apparmor=unconfined where the host has AppArmor"
)
NO_PROC = "There is no /proc here: mount -t proc proc /proc (in a chroot or a container: inside of it)."
_PACKAGES = (
    ("apt-get", "apt-get install bubblewrap"),
    ("dnf", "dnf install bubblewrap"),
    ("zypper", "zypper install bubblewrap"),
    ("pacman", "pacman -S bubblewrap"),
    ("apk", "apk add bubblewrap"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """Properties of the machine that decide the remedy."""

    has_binary: bool
    """True if a bubblewrap binary exists."""
    binary: str = ""
    """Path of bubblewrap."""
    message: str = ""
    """Words of bubblewrap at the trial; empty if unknown."""
    has_proc: bool = True
    """True if /proc is mounted."""
    is_wsl1: bool = False
    """True for the first Windows Subsystem for Linux, a system without a Linux kernel."""
    apparmor_restricts: bool = False
    """`kernel.apparmor_restrict_unprivileged_userns` (Ubuntu since 23.10)."""
    debian_forbids: bool = False
    """`kernel.unprivileged_userns_clone` is 0 (Debian until 10, Arch's hardened kernel)."""
    no_user_namespaces: bool = False
    """`user.max_user_namespaces` is 0."""
    container: str = ""
    """Container runtime around this machine: `docker`, `podman`, `kubernetes`, `lxc` or `other`; empty for none."""
    is_filtered: bool = False
    """True if system calls of this process are filtered, as container runtimes and systemd's units do."""
    is_chroot: bool = False
    """True if no file system is mounted at the root folder, as in a chroot."""
    unshare_errno: int = 0
    """Error number of the kernel's refusal of a user namespace; 0 without a refusal."""
    installer: str = ""
    """Command to install a package here; empty if unknown."""


def remedy(machine: Machine) -> str:
    """Remedy as a sentence with the exact command."""
    return next(sentence(machine) for applies, sentence in _REMEDIES if applies(machine))


def _is_denied(machine: Machine) -> bool:
    """True if a policy may be the cause: bubblewrap was denied an act, or its words are unknown."""
    return not machine.message or "ermission" in machine.message or "not permitted" in machine.message


def _host(machine: Machine) -> str:
    return " on the host of this container" if machine.container else ""


def _install(machine: Machine) -> str:
    return f"Install bubblewrap: {machine.installer or 'with the package manager of this system'}."


def _raise_limit(machine: Machine) -> str:
    return (
        "User namespaces are switched off or used up: "
        f"sysctl -w user.max_user_namespaces=15000{_host(machine)} {_KEEP}."
    )


def _allow_cloning(machine: Machine) -> str:
    return (
        "User namespaces are shut to ordinary users: "
        f"sysctl -w kernel.unprivileged_userns_clone=1{_host(machine)} {_KEEP}."
    )


def _load_profile(machine: Machine) -> str:
    rule = f"profile remembrancer-bwrap {machine.binary} flags=(unconfined) {{ userns, }}"
    return (
        "AppArmor keeps user namespaces from programs without a profile: "
        f"echo 'abi <abi/4.0>, include <tunables/global> {rule}' > {_PROFILE} && apparmor_parser -r {_PROFILE} "
        f"(or, for all programs: sysctl -w kernel.apparmor_restrict_unprivileged_userns=0 {_KEEP})."
    )


def _open_container(machine: Machine) -> str:
    options = _OPTIONS.get(machine.container, _OTHER_OPTIONS)
    host = "; on its host: sysctl -w kernel.apparmor_restrict_unprivileged_userns=0" * machine.apparmor_restricts
    return f"The container keeps namespaces from its processes: {options}{host}."


def _lift_filter(_machine: Machine) -> str:
    return (
        "A seccomp filter keeps namespaces from this process: in Kubernetes give it a seccompProfile of type "
        "Unconfined and procMount Unmasked, in another container --security-opt seccomp=unconfined and "
        "--security-opt systempaths=unconfined, in a systemd unit no RestrictNamespaces= and no SystemCallFilter=."
    )


def _explain_errno(machine: Machine) -> str:
    why = errno.errorcode.get(machine.unshare_errno, str(machine.unshare_errno))
    return f"The kernel makes no user namespaces ({why}): it needs CONFIG_USER_NS, and no policy that forbids them."


def _say(sentence: str) -> Callable[[Machine], str]:
    return lambda _machine: sentence


_REMEDIES: tuple[tuple[Callable[[Machine], bool], Callable[[Machine], str]], ...] = (
    (lambda machine: not machine.has_binary, _install),
    (
        lambda machine: machine.is_wsl1,
        _say("WSL 1 has no namespaces: give this distribution WSL 2 (in Windows: wsl --set-version NAME 2)."),
    ),
    (lambda machine: not machine.has_proc, _say(NO_PROC)),
    (lambda machine: machine.no_user_namespaces or machine.unshare_errno == errno.ENOSPC, _raise_limit),
    (lambda machine: machine.debian_forbids and _is_denied(machine), _allow_cloning),
    (
        lambda machine: "overflowuid" in machine.message or "overflowgid" in machine.message,
        _say(
            "/proc/sys/kernel/overflowuid cannot be read here: mount /proc whole, and let the agent's user read it "
            "(in a systemd unit no ProcSubset=pid)."
        ),
    ),
    (
        lambda machine: machine.is_chroot or "pivot_root: Invalid" in machine.message,
        _say(
            "The root folder here is a chroot or an initramfs, in which no namespaces can be made: start the agent "
            "where a file system is mounted at / (in a container, or with systemd-nspawn -D instead of chroot)."
        ),
    ),
    (
        lambda machine: "RTM_NEWADDR" in machine.message and not _is_denied(machine),
        _say(
            "New networks have an address already, as gVisor makes them: give this container another runtime "
            "(docker run --runtime runc)."
        ),
    ),
    (lambda machine: bool(machine.container) and _is_denied(machine), _open_container),
    (lambda machine: machine.apparmor_restricts and _is_denied(machine), _load_profile),
    (lambda machine: machine.is_filtered and (machine.unshare_errno != 0 or _is_denied(machine)), _lift_filter),
    (
        lambda machine: "mount proc" in machine.message,
        _say(
            "/proc is masked here, so no other one can be mounted: start this container with "
            "--security-opt systempaths=unconfined (Podman: unmask=ALL, Kubernetes: procMount Unmasked)."
        ),
    ),
    (lambda machine: machine.unshare_errno != 0, _explain_errno),
    (lambda _machine: True, _say("User namespaces can be made here, so bubblewrap's message names the cause.")),
)
"""Condition of a remedy, and the sentence; the first remedy with a true condition is given."""


def examine(binary: str, reason: str = "", root: Path = ROOT) -> Machine:
    """Examine this machine.

    Args:
        binary: Path of a bubblewrap that is present but does not work; empty for none.
        reason: Words of the binary at the trial.
        root: Folder of the machine, for a test of another machine.
    """
    return Machine(
        has_binary=bool(binary),
        binary=binary,
        message=reason,
        has_proc=has_proc(root),
        is_wsl1=_text(root, "proc/sys/kernel/osrelease").endswith("-Microsoft"),
        apparmor_restricts=_text(root, "proc/sys/kernel/apparmor_restrict_unprivileged_userns") == "1",
        debian_forbids=_text(root, "proc/sys/kernel/unprivileged_userns_clone") == "0",
        no_user_namespaces=_text(root, "proc/sys/user/max_user_namespaces") == "0",
        container=_container(root),
        is_filtered="\nSeccomp:\t2\n" in _text(root, "proc/self/status"),
        is_chroot=_is_chroot(root),
        unshare_errno=_errno_of_unshare(),
        installer=next((line for program, line in _PACKAGES if _is_installed(program)), ""),
    )


def has_proc(root: Path = ROOT) -> bool:
    """True if /proc is mounted."""
    return Path(root, "proc/self/status").exists()


def _text(root: Path, name: str) -> str:
    """Text of a file without white space around it; empty if the file cannot be read."""
    try:
        return Path(root, name).read_text(errors="replace").strip()
    except OSError:
        return ""


def _container(root: Path) -> str:
    runtime = next((runtime for mark, runtime in _CONTAINER_MARKS.items() if Path(root, mark).exists()), "")
    if runtime == "other" and _text(root, "run/systemd/container").startswith("lxc"):
        return "lxc"
    return runtime


def _is_chroot(root: Path) -> bool:
    """True if no mount is at the root folder; False if unknown."""
    mounts = [line.split() for line in _text(root, "proc/self/mountinfo").splitlines()]
    return bool(mounts) and not any(fields[4:5] == ["/"] for fields in mounts)


def _is_installed(program: str) -> bool:
    return any(Path(folder, program).exists() for folder in ("/usr/bin", "/sbin", "/usr/sbin", "/bin"))


def _errno_of_unshare() -> int:
    """Error number of an attempt at a user namespace in a separate process; 0 after success, or without an attempt."""
    try:
        return subprocess.run([sys.executable, "-I", "-S", "-c", _UNSHARE], cwd=os.sep, timeout=_TRIAL_S).returncode
    except (OSError, subprocess.TimeoutExpired):
        return 0
