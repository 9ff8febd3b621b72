from __future__ import annotations

import subprocess
import sys

import pytest

from actors.shell.sandbox.remedy import Machine, examine, remedy

BINARY = "/opt/x/bwrap"


def test_the_remedy_is_the_command_for_this_machine(subtests: pytest.Subtests) -> None:
    cases: list[tuple[Machine, list[str]]] = [
        (Machine(has_binary=False, installer="apt-get install bubblewrap"), ["apt-get install bubblewrap"]),
        (Machine(has_binary=False), ["package manager"]),
        (
            Machine(has_binary=True, binary=BINARY, apparmor_restricts=True, unshare_errno=13),
            [f"profile remembrancer-bwrap {BINARY} flags=(unconfined) {{ userns, }}", "apparmor_parser -r"],
        ),
        (Machine(has_binary=True, binary=BINARY, debian_forbids=True), ["kernel.unprivileged_userns_clone=1"]),
        (Machine(has_binary=True, binary=BINARY, no_user_namespaces=True), ["user.max_user_namespaces="]),
        (Machine(has_binary=True, binary=BINARY, is_container=True), ["seccomp=unconfined", "systempaths=unconfined"]),
        (
            Machine(has_binary=True, binary=BINARY, unshare_errno=1, is_filtered=True),
            ["seccompProfile", "seccomp=unconfined", "RestrictNamespaces="],
        ),
        (Machine(has_binary=True, binary=BINARY, unshare_errno=1), ["EPERM", "CONFIG_USER_NS"]),
        (Machine(has_binary=True, binary=BINARY), ["what bubblewrap says"]),
    ]
    for machine, words in cases:
        with subtests.test(machine=machine, words=words):
            text = remedy(machine)
            assert [word for word in words if word not in text] == []
            assert text.endswith(".")


def test_this_machine_is_examined_without_harm() -> None:
    assert examine("") == examine("")
    assert not examine("").has_binary
    assert examine(BINARY).binary == BINARY


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
    """containerd, which Kubernetes uses, leaves none."""
    done = subprocess.run([sys.executable, "-P", "-c", _FILTERED], env={"PYTHONPATH": "."}, capture_output=True)
    assert done.stdout == b"True\n", done.stderr
