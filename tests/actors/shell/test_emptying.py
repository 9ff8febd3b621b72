from __future__ import annotations

from pathlib import Path

from actors.shell.quota import Quota
from messages.base import RequestId
from messages.shell import EmptyFolder, FolderEmptied
from messages.socket import Refused
from tests.actors.shell.bench import CLI, SHELL, Bench, window
from tests.patience import PATIENCE_S


def test_a_folder_that_is_too_full_for_commands_is_emptied_when_asked_after_what_runs_there(tmp_path: Path) -> None:
    quota = Quota(lambda: 0.0, most_files=5, least_free_bytes=0)
    bench = Bench(tmp_path, quota=quota)
    begun = bench.fifo("begun")
    running = bench.ask("echo > begun; sleep 0.3; touch {1..9}; echo done")
    begun.read_text()
    asked = RequestId("empty")
    bench.system.tell(SHELL, EmptyFolder(request_id=asked, reply_to=bench.edge.address, window=window()))
    refused = bench.ask("true", of=window(2))
    assert bench.result(refused).exit_code == 0
    assert bench.result(running).duration_s >= 0.3  # whether it is killed for its files or ends before that is seen
    reply = bench.edge.receive(PATIENCE_S, lambda message: getattr(message, "request_id", None) == asked)
    assert isinstance(reply, FolderEmptied)
    assert bench.run("ls").text == "attachments\nlogs"
    bench.system.stop()


def test_a_folder_is_emptied_also_where_commands_are_off(tmp_path: Path) -> None:
    bench = Bench(tmp_path, enabled=False)
    bench.workdir().mkdir(parents=True)
    (bench.workdir() / "note").touch()
    for of, kind in ((window(), FolderEmptied), (CLI, Refused)):
        bench.system.tell(SHELL, EmptyFolder(request_id=RequestId("e"), reply_to=bench.edge.address, window=of))
        assert isinstance(bench.edge.receive(PATIENCE_S), kind)
    assert list(bench.workdir().iterdir()) == []
    bench.system.stop()
