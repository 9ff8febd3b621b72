from __future__ import annotations

from pathlib import Path

from actors.context.log.file import WindowLog
from actors.context.log.redactions import Redactions
from domain.log.parser import parse
from domain.log.redaction import Tombstone
from tests.domain.log.logs import START, WINDOW, message_event
from tests.recording_disk import RecordingDisk


def test_each_withdrawal_is_safe_in_the_copy(tmp_path: Path) -> None:
    log = WindowLog.create(tmp_path, WINDOW, START, "alice")
    log.append(message_event(1, "my secret"), message_event(2, "my other secret"))
    path = log.path.relative_to(tmp_path).as_posix()
    disk = RecordingDisk()
    redactions = Redactions(tmp_path, disk)
    for logged in parse(log.path.read_bytes()).events:
        withdrawal = Tombstone(event_id=logged.event.id, path=path, line=logged.line, message_id="1", is_quote=False)
        redactions.take_back([withdrawal])
        assert disk.at_risk(tmp_path) == set()
    (copy,) = (tmp_path / "redacted").rglob("*.md")
    assert b"secret" not in copy.read_bytes()
    log.close()
