"""The protocol as its own suites ask for it: the real actor, script, sandbox and package, over both transports."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from importlib.metadata import distribution
from pathlib import Path

import pytest

from actors.part import SHIPPED_SKILLS
from lab.bench.mcp.stage import McpStage
from tests.actors.mcp.conformance import CASES, Case
from tests.patience import PATIENCE_S

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("require_sandbox")]

SCRIPT = SHIPPED_SKILLS / "mcp" / "scripts" / "mcp.py"
EVERYTHING = Path(__file__).with_name("everything.py")
PACKAGES = str(Path(str(distribution("mcp").locate_file(""))).resolve())


@pytest.fixture
def port() -> Iterator[int]:
    """The server's own process, over HTTP."""
    process = subprocess.Popen([sys.executable, "-P", str(EVERYTHING), "http"], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    yield int(process.stdout.readline())
    process.terminate()
    process.wait(PATIENCE_S)
    process.stdout.close()


@pytest.fixture
def stage(port: int) -> Iterator[McpStage]:
    """An agent that has the server in a sandbox, and at its address."""
    command = ["env", f"PYTHONPATH={PACKAGES}", "python3", "-B", str(EVERYTHING)]
    program = {"command": command, "read": [PACKAGES, str(EVERYTHING.parent)]}
    site = {"url": f"http://127.0.0.1:{port}/mcp"}
    with (
        tempfile.TemporaryDirectory(prefix="m-") as root,
        McpStage(Path(root), {"program": program, "site": site}) as running,
    ):
        yield running


def run(stage: McpStage, server: str, case: Case, cwd: Path) -> subprocess.CompletedProcess[str]:
    words = [server if word == "everything" else word for word in case.words]
    return subprocess.run(
        ["python3", str(SCRIPT), *words],
        env={"PATH": os.defpath, "LANG": "C.UTF-8", "AGENT_SOCKET": stage.door()},
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_S,
        cwd=cwd,
    )


@pytest.mark.req("X-263")
@pytest.mark.parametrize("server", ["program", "site"])
def test_a_server_that_does_all_that_the_protocol_knows(
    stage: McpStage, server: str, tmp_path: Path, subtests: pytest.Subtests
) -> None:
    for number, case in enumerate(CASES):
        with subtests.test(name=case.name):
            folder = tmp_path / str(number)
            folder.mkdir()
            done = run(stage, server, case, folder)

            text = done.stdout + done.stderr
            assert done.returncode == (1 if case.fails else 0), text
            assert [part for part in case.shows if part not in text] == [], text
            assert [part for part in case.hides if part in text] == []
            files = sorted((folder / "mcp").iterdir()) if (folder / "mcp").is_dir() else []
            assert sorted(file.suffix for file in files) == sorted(suffix for suffix, _ in case.files), text
            for suffix, beginning in case.files:
                (file,) = [each for each in files if each.suffix == suffix]
                assert file.read_bytes().startswith(beginning)
                assert f"mcp/{file.name}" in text
