"""Remedies: what an operator has to do on this machine so that bubblewrap works, found from what the kernel says."""

from __future__ import annotations

import errno
import subprocess
import sys
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
_CONTAINER_MARKS = ("/.dockerenv", "/run/.containerenv", "/run/systemd/container")
_PACKAGES = (
    ("apt-get", "apt-get install bubblewrap"),
    ("dnf", "dnf install bubblewrap"),
    ("zypper", "zypper install bubblewrap"),
    ("pacman", "pacman -S bubblewrap"),
    ("apk", "apk add bubblewrap"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """Properties of the machine that the remedy depends on."""

    has_binary: bool
    """True if a bubblewrap binary exists."""
    binary: str = ""
    """Its path."""
    apparmor_restricts: bool = False
    """`kernel.apparmor_restrict_unprivileged_userns` (Ubuntu since 23.10)."""
    debian_forbids: bool = False
    """`kernel.unprivileged_userns_clone` is 0 (Debian until 10, Arch's hardened kernel)."""
    no_user_namespaces: bool = False
    """`user.max_user_namespaces` is 0."""
    is_container: bool = False
    """True if this machine is a container."""
    is_filtered: bool = False
    """True if system calls of this process are filtered, as container runtimes and systemd's units do."""
    unshare_errno: int = 0
    """Why the kernel makes no user namespace; 0 if it does."""
    installer: str = ""
    """The command that installs a package here; empty if not known."""


def remedy(machine: Machine) -> str:
    """Remedy as one or two sentences with the exact command."""
    if not machine.has_binary:
        return f"Install bubblewrap: {machine.installer or 'with the package manager of this system'}."
    if machine.no_user_namespaces:
        return f"User namespaces are switched off: sysctl -w user.max_user_namespaces=15000 {_KEEP}."
    if machine.debian_forbids:
        return f"User namespaces are shut to ordinary users: sysctl -w kernel.unprivileged_userns_clone=1 {_KEEP}."
    if machine.apparmor_restricts:
        rule = f"profile remembrancer-bwrap {machine.binary} flags=(unconfined) {{ userns, }}"
        return (
            "AppArmor keeps user namespaces from programs without a profile: "
            f"echo 'abi <abi/4.0>, include <tunables/global> {rule}' > {_PROFILE} && apparmor_parser -r {_PROFILE} "
            f"(or, for all programs: sysctl -w kernel.apparmor_restrict_unprivileged_userns=0 {_KEEP})."
        )
    if machine.is_container:
        return (
            "The container keeps namespaces from its processes: start it with --security-opt seccomp=unconfined "
            "--security-opt systempaths=unconfined, and with --security-opt apparmor=unconfined where the host has "
            "AppArmor; in Kubernetes with a seccompProfile of type Unconfined and procMount Unmasked."
        )
    if machine.unshare_errno and machine.is_filtered:
        return (
            "A seccomp filter keeps namespaces from this process: in Kubernetes give it a seccompProfile of type "
            "Unconfined and procMount Unmasked, in another container --security-opt seccomp=unconfined and "
            "--security-opt systempaths=unconfined, in a systemd unit no RestrictNamespaces= and no SystemCallFilter=."
        )
    if machine.unshare_errno:
        why = errno.errorcode.get(machine.unshare_errno, str(machine.unshare_errno))
        return f"The kernel makes no user namespaces ({why}): it needs CONFIG_USER_NS, and no policy that forbids them."
    return "User namespaces can be made here, so the cause is in what bubblewrap says."


def examine(binary: str) -> Machine:
    """Examine this machine.

    Args:
        binary: Path of a bubblewrap that is there but does not work; empty for none.
    """
    return Machine(
        has_binary=bool(binary),
        binary=binary,
        apparmor_restricts=_setting("kernel/apparmor_restrict_unprivileged_userns") == "1",
        debian_forbids=_setting("kernel/unprivileged_userns_clone") == "0",
        no_user_namespaces=_setting("user/max_user_namespaces") == "0",
        is_container=any(Path(mark).exists() for mark in _CONTAINER_MARKS),
        is_filtered=_is_filtered(),
        unshare_errno=_errno_of_unshare(),
        installer=next((line for program, line in _PACKAGES if _is_installed(program)), ""),
    )


def _setting(name: str) -> str:
    try:
        return Path("/proc/sys", name).read_text().strip()
    except OSError:
        return ""


def _is_filtered() -> bool:
    try:
        return "\nSeccomp:\t2\n" in Path("/proc/self/status").read_text()
    except OSError:
        return False


def _is_installed(program: str) -> bool:
    return any(Path(folder, program).exists() for folder in ("/usr/bin", "/sbin", "/usr/sbin", "/bin"))


def _errno_of_unshare() -> int:
    """Try to make a user namespace in a process of its own; 0 if that works, or cannot be tried."""
    try:
        return subprocess.run([sys.executable, "-I", "-S", "-c", _UNSHARE], cwd="/", timeout=_TRIAL_S).returncode
    except (OSError, subprocess.TimeoutExpired):
        return 0
