"""Doctor's look at the object store."""

from __future__ import annotations

from pathlib import Path

import apsw

from actors.memory.objects.checks import findings
from actors.part import Finding, Level
from tests.actors.memory.objects.rig import StoreRig


def finding(root: Path) -> Finding:
    """The one that there is."""
    (found,) = findings(root)
    return found


def test_a_store_is_sound_while_an_agent_has_it_open_and_stays_as_it_is(tmp_path: Path) -> None:
    assert finding(tmp_path).level is Level.OK
    rig = StoreRig(tmp_path)
    rig.kept([rig.version("f1", "text")])
    before = rig.path.read_bytes()
    found = finding(tmp_path)
    assert (found.level, found.detail.startswith("sound, ")) == (Level.OK, True)
    assert rig.path.read_bytes() == before
    rig.stop()


def test_faults_are_told_and_garbage_is(tmp_path: Path) -> None:
    rig = StoreRig(tmp_path)
    rig.kept([rig.version("f1", "text")])
    rig.stop()
    connection = apsw.Connection(str(rig.path))
    list(connection.execute("UPDATE windows SET last_round = 7"))
    connection.close()
    found = finding(tmp_path)
    assert (found.level, "1 faults: " in found.detail) == (Level.WARN, True)
    rig.path.write_bytes(b"no database" * 1000)
    found = finding(tmp_path)
    assert found.level is Level.WARN
    assert "moved aside and begun anew" in found.detail
    assert rig.path.read_bytes() == b"no database" * 1000
