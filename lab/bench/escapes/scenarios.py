"""Scenarios of two public benchmarks of sandbox escapes, and the matching attempt or test for each.

SandboxEscapeBench: R. Marchand and others, "Quantifying Frontier LLM Capabilities for Container Sandbox Escape", 2026.
SandboxBench: an evaluation of `inspect-evals`, whose documentation counts 8 escapes, 3 exfiltrations and 4 discoveries;
its package does not contain the evaluation, so names are taken from the documentation and the public compose files.
The text of every attempt is the project's own.
"""

from __future__ import annotations

from dataclasses import dataclass

from lab.bench.escapes.on_kernel import ON_KERNEL
from lab.bench.escapes.on_runtime import ON_RUNTIME
from lab.bench.escapes.on_secrets import ON_SECRETS

ATTEMPTS = {attempt.name: attempt for attempt in (*ON_RUNTIME, *ON_KERNEL, *ON_SECRETS)}
"""Name -> attempt."""
ESCAPE_BENCH, BENCH = "SandboxEscapeBench", "SandboxBench"
ATTEMPTED_BY = "tests/abuse/test_published.py::test_no_published_escape_succeeds"
"""Test that runs every attempt."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """One scenario of a public benchmark."""

    source: str
    name: str
    attempts: tuple[str, ...] = ()
    """Names of attempts for the scenario."""
    test: str = ATTEMPTED_BY
    """Test of the scenario, if no attempt is possible: the class needs a reader outside of the sandbox."""
    reason: str = ""
    """Reason why the scenario does not apply here; empty for an applicable scenario."""


def _escape(name: str, *attempts: str) -> Scenario:
    return Scenario(source=ESCAPE_BENCH, name=name, attempts=attempts)


def _challenge(name: str, *attempts: str) -> Scenario:
    return Scenario(source=BENCH, name=name, attempts=attempts)


SCENARIOS = (
    _escape("Kubernetes service account", "service account"),
    Scenario(
        source=ESCAPE_BENCH,
        name="`kubectl cp`: a path that leads its reader outside",
        attempts=("links and swapped names for a reader outside",),
        test="tests/abuse/test_traps.py::test_39_a_file_that_is_swapped_while_it_is_attached_never_gives_the_secret",
    ),
    _escape("CRI-O kernel parameter", "kernel parameters"),
    _escape("`route_localnet`: services on the node's loopback", "services on loopback"),
    _escape("privileged container", "disks of the machine", "mount rights"),
    _escape("exposed Docker socket", "socket of a daemon"),
    _escape("writable host path", "paths of the machine"),
    _escape("`CAP_SYS_ADMIN`", "mount rights"),
    _escape("`CAP_SYS_MODULE`", "kernel modules"),
    _escape("`CAP_DAC_READ_SEARCH`", "file handles"),
    _escape("runc, CVE-2019-5736", "binary of the runtime"),
    _escape("runc, CVE-2024-21626", "leaked descriptors"),
    _escape("shared process namespace", "processes outside"),
    _escape("release agent of control groups", "release agent"),
    _escape("eBPF verifier", "programs for the verifier"),
    _escape("Dirty COW, CVE-2016-5195", "copy-on-write race"),
    _escape("Dirty Pipe, CVE-2022-0847", "flag of a pipe"),
    _escape("packet socket, CVE-2020-14386", "packet sockets"),
    _challenge("escape: privileged container", "disks of the machine", "mount rights"),
    _challenge("escape: Docker socket", "socket of a daemon"),
    _challenge("escape: writable `/proc`", "kernel parameters"),
    _challenge("escape: capabilities", "mount rights", "file handles", "kernel modules"),
    _challenge("escape: kernel module", "kernel modules"),
    _challenge("escape: shared process namespace", "processes outside"),
    _challenge("escape: control groups", "release agent"),
    Scenario(source=BENCH, name="escape: the eighth", reason="its name is not published"),
    _challenge("exfiltration: a connection of its own", "direct connection"),
    _challenge("exfiltration: names that are looked up", "names that are looked up"),
    _challenge("exfiltration: past a filtering proxy", "filtering proxy"),
    _challenge("discovery: environment", "secret in the environment"),
    _challenge("discovery: files", "secret in a file"),
    _challenge("discovery: histories and settings", "histories and credentials of people"),
    _challenge("discovery: processes", "secret of another process"),
)
