from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from actors.shell.sandbox.remedy import Machine, examine, remedy

BINARY = "/opt/x/bwrap"


DENIED = "bwrap: setting up uid map: Permission denied"


def here(**properties: Any) -> Machine:
    """A machine with a bubblewrap."""
    return Machine(has_binary=True, binary=BINARY, **properties)


def test_the_remedy_is_the_command_for_this_machine(subtests: pytest.Subtests) -> None:
    cases: list[tuple[Machine, list[str]]] = [
        (Machine(has_binary=False, installer="apt-get install bubblewrap"), ["apt-get install bubblewrap"]),
        (Machine(has_binary=False), ["package manager"]),
        (
            here(apparmor_restricts=True, unshare_errno=13),
            [f"profile remembrancer-bwrap {BINARY} flags=(unconfined) {{ userns, }}", "apparmor_parser -r"],
        ),
        (here(debian_forbids=True), ["kernel.unprivileged_userns_clone=1"]),
        (here(no_user_namespaces=True), ["user.max_user_namespaces="]),
        (here(unshare_errno=28), ["user.max_user_namespaces="]),
        (here(no_user_namespaces=True, container="docker"), ["on the host of this container"]),
        (
            here(container="docker", message=DENIED),
            ["seccomp=unconfined", "systempaths=unconfined", "apparmor=unconfined"],
        ),
        (here(container="podman"), ["seccomp=unconfined", "unmask=ALL", "label=disable"]),
        (here(container="kubernetes"), ["seccompProfile", "procMount Unmasked"]),
        (here(container="lxc"), ["security.nesting=true"]),
        (here(container="other"), ["seccomp=unconfined", "systempaths=unconfined"]),
        (here(unshare_errno=1, is_filtered=True), ["seccompProfile", "seccomp=unconfined", "RestrictNamespaces="]),
        (here(unshare_errno=1, message="no words of a policy"), ["EPERM", "CONFIG_USER_NS"]),
        (here(is_wsl1=True), ["wsl --set-version"]),
        (here(has_proc=False), ["mount -t proc"]),
        (here(is_chroot=True), ["systemd-nspawn"]),
        (here(), ["bubblewrap's message"]),
    ]
    for machine, words in cases:
        with subtests.test(machine=machine, words=words):
            text = remedy(machine)
            assert [word for word in words if word not in text] == []
            assert text.endswith(".")
            assert ". " not in text, "one sentence"


def test_in_a_container_nobody_is_told_to_load_a_profile_there() -> None:
    """typeclaw#1441: an AppArmor host counts in the container, and only the host can be changed."""
    text = remedy(here(container="docker", apparmor_restricts=True, message=DENIED))

    assert "apparmor_parser" not in text
    assert text.endswith("; on its host: sysctl -w kernel.apparmor_restrict_unprivileged_userns=0.")


def test_a_setting_is_no_cause_of_what_bubblewrap_was_not_denied() -> None:
    text = remedy(here(apparmor_restricts=True, debian_forbids=True, message="bwrap: Unknown option --disable-userns"))

    assert text == "User namespaces can be made here, so bubblewrap's message names the cause."


def test_this_machine_is_examined_without_harm() -> None:
    assert examine("") == examine("")
    assert not examine("").has_binary
    assert examine(BINARY, DENIED).binary == BINARY
    assert examine(BINARY, DENIED).message == DENIED


def test_a_machine_is_known_by_its_files(tmp_path: Path, subtests: pytest.Subtests) -> None:
    cases: list[tuple[str, str, Callable[[Machine], object], object]] = [
        ("proc/self/status", "Name:\tx\n", lambda machine: machine.has_proc, True),
        ("proc/self/status", "Seccomp:\t0\nSeccomp:\t2\nx", lambda machine: machine.is_filtered, True),
        ("proc/sys/kernel/osrelease", "4.4.0-19041-Microsoft\n", lambda machine: machine.is_wsl1, True),
        ("proc/sys/kernel/osrelease", "6.6.87.2-microsoft-standard-WSL2\n", lambda machine: machine.is_wsl1, False),
        ("proc/sys/kernel/unprivileged_userns_clone", "0\n", lambda machine: machine.debian_forbids, True),
        ("proc/sys/user/max_user_namespaces", "0\n", lambda machine: machine.no_user_namespaces, True),
        (".dockerenv", "", lambda machine: machine.container, "docker"),
        ("run/.containerenv", "", lambda machine: machine.container, "podman"),
        ("run/systemd/container", "lxc-libvirt\n", lambda machine: machine.container, "lxc"),
        ("run/systemd/container", "systemd-nspawn\n", lambda machine: machine.container, "other"),
        ("proc/self/mountinfo", "36 35 98:0 / / rw - ext4 x rw\n", lambda machine: machine.is_chroot, False),
        ("proc/self/mountinfo", "36 35 98:0 / /proc rw - proc x rw\n", lambda machine: machine.is_chroot, True),
    ]
    for number, (path, content, property_of, value) in enumerate(cases):
        with subtests.test(path=path, content=content):
            file = tmp_path / str(number) / path
            file.parent.mkdir(parents=True)
            file.write_text(content)
            assert property_of(examine(BINARY, root=tmp_path / str(number))) == value
    assert examine(BINARY, root=tmp_path / "empty").container == ""


_FILTERED = """
import ctypes, struct
libc = ctypes.CDLL(None)
program = ctypes.create_string_buffer(struct.pack("<HBBI", 0x06, 0, 0, 0x7FFF0000), 8)
class Program(ctypes.Structure): _fields_ = [("length", ctypes.c_ushort), ("at", ctypes.c_void_p)]
assert libc.prctl(38, 1, 0, 0, 0) == 0
assert libc.prctl(22, 2, ctypes.byref(Program(1, ctypes.addressof(program))), 0, 0) == 0
from actors.shell.sandbox.remedy import examine
print(examine("").is_filtered)
"""


def test_who_holds_back_system_calls_is_found_without_the_marks_of_a_container() -> None:
    """Containerd, the runtime of Kubernetes, leaves no mark."""
    done = subprocess.run([sys.executable, "-P", "-c", _FILTERED], env={"PYTHONPATH": "."}, capture_output=True)
    assert done.stdout == b"True\n", done.stderr
