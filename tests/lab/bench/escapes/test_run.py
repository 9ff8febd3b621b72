from __future__ import annotations

from pathlib import Path

import pytest

from lab.bench.escapes.run import ESCAPES, PEER, measure
from lab.bench.escapes.scenarios import ATTEMPTS
from lab.bench.process import MeasurementError
from lab.bench.shell.run import available

BARE = '#!/bin/sh\nshift 3\nexec bash -c "$1"\n'
"""A peer that is no sandbox."""
MUTE = "#!/bin/sh\nexit 1\n"


def program(folder: Path, text: str) -> Path:
    path = folder / "srt"
    path.write_text(text)
    path.chmod(0o755)
    return path


def test_what_succeeds_is_counted_for_the_peer_and_is_nothing_for_each_sandbox(tmp_path: Path) -> None:
    only = ("secret in a file", "direct connection")
    transcript = tmp_path / "transcript"

    rows = measure(str, peer=program(tmp_path, BARE), names=only, transcript=transcript)

    assert rows.keys() == {*available(), PEER}
    assert [rows[level] for level in available()] == [dict.fromkeys(only, 0.0) for _ in available()]
    assert all(rows[PEER][name] > 0 for name in only)
    assert ESCAPES.is_sound(rows, quick=False), "a peer's successes are no failure of this agent"
    assert "BREACH: the service was reached by TCP" in transcript.read_text()


def test_a_success_in_a_sandbox_is_a_failure() -> None:
    assert not ESCAPES.is_sound({"bwrap": {"kernel modules": 1.0}}, quick=False)
    assert ESCAPES.is_sound({"bwrap": dict.fromkeys(ATTEMPTS, 0.0)}, quick=False)


def test_an_attempt_that_did_not_come_to_its_end_is_no_figure(tmp_path: Path) -> None:
    with pytest.raises(MeasurementError, match="sandbox-runtime: kernel modules did not finish"):
        measure(str, peer=program(tmp_path, MUTE), names=("kernel modules",))


def test_an_attempt_that_there_is_not_is_refused() -> None:
    with pytest.raises(ValueError, match="no attempt has the name 'owl'"):
        measure(str, names=("owl",))
