"""Files that came with forgotten messages and kept outputs are removed, and all other files stay."""

from __future__ import annotations

from pathlib import Path

import pytest

from actors.forget.window_files import WindowFilesActor
from actors.kernel import ActorSpec, ActorSystem, ManualClock
from messages.base import Surface, TurnId, Window
from messages.forget import WINDOW_FILES, DerivedForgotten
from messages.socket import Refused
from tests.forget_requests import files_with, forget_request
from tests.ordinary_user import as_ordinary_user
from tests.recording_disk import RecordingDisk

HERE = Window(surface=Surface.DISCORD_CHANNEL, id="910000000000000011")
THERE = Window(surface=Surface.DISCORD_THREAD, id="910000000000000012")
SECRET = "quagmire"


class Rig:
    """The actor on a folder."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.disk = RecordingDisk()
        self.system = ActorSystem(workers=0, clock=ManualClock())
        self.system.register(ActorSpec(WINDOW_FILES.kind, lambda _key: WindowFilesActor(root, self.disk)))
        self.system.start()
        self.asker = self.system.edge("asker")

    def write(self, path: str, text: str = SECRET) -> Path:
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
        return place

    def forget(self, *names: str, window: Window = HERE, whole: bool = False, **fields: object) -> object:
        request = forget_request(self.asker.address, window, *names, whole=whole, **fields)
        self.system.tell(WINDOW_FILES, request)
        self.system.run()
        return self.asker.receive(0)


@pytest.fixture
def rig(tmp_path: Path) -> Rig:
    rig = Rig(tmp_path)
    for name in ("attachments", "output"):
        for window in (HERE, THERE):
            rig.write(f"{name}/{window.address.key}/1500000000000000002/b.txt", "other")
    rig.write(f"attachments/{HERE.address.key}/1500000000000000001/a.txt")
    rig.write(f"output/{HERE.address.key}/r1.log")
    rig.write(f"output/{HERE.address.key}/r2.log", "other")
    return rig


@pytest.mark.req("X-250")
def test_the_files_of_a_message_and_its_commands_outputs_go_and_all_others_stay(rig: Rig) -> None:
    calls: list[str] = []
    rig.disk.before = lambda call, _data: calls.append(call)
    output = f"/old/place/output/{HERE.address.key}/r1.log"

    answer = rig.forget("1500000000000000001", outputs=(output,), files=("attachments/1500000000000000001/a.txt",))

    assert isinstance(answer, DerivedForgotten)
    assert (answer.room, answer.count) == ("window-files", 2)
    assert files_with(rig.root, SECRET) == []
    assert len(files_with(rig.root, "other")) == 5
    assert calls == ["sync_folder"] * 2, "they are gone after a power loss, too"
    again = rig.forget("1500000000000000001", outputs=(output,))
    assert isinstance(again, DerivedForgotten)
    assert again.count == 0


def test_a_whole_window_loses_all_its_files_and_another_window_none(rig: Rig) -> None:
    rig.forget(whole=True)

    assert files_with(rig.root / "attachments" / HERE.address.key, "") == []
    assert files_with(rig.root / "output" / HERE.address.key, "") == []
    assert len(files_with(rig.root, "other")) == 2


def test_a_path_that_leads_elsewhere_removes_nothing(rig: Rig) -> None:
    outside = rig.write("other/keep.log")
    (rig.root / "output" / HERE.address.key / "link.log").symlink_to(outside)

    rig.forget("1", outputs=("../../../other/keep.log", "/etc/..", "link.log", ""), files=("../keep.log",))

    assert outside.exists()
    assert not (rig.root / "output" / HERE.address.key / "link.log").is_symlink()


def test_a_window_of_the_command_line_has_no_files(rig: Rig) -> None:
    answer = rig.forget("1", window=Window(surface=Surface.CLI, id="operator"), whole=True)

    assert isinstance(answer, DerivedForgotten)
    assert answer.count == 0


def test_a_file_that_cannot_be_removed_is_said(rig: Rig) -> None:
    folder = rig.root / "attachments" / HERE.address.key
    folder.chmod(0o500)

    with as_ordinary_user():
        answer = rig.forget("1500000000000000001")

    folder.chmod(0o700)

    assert isinstance(answer, Refused)
    assert "a file stays" in answer.reason


@pytest.mark.req("X-250")
def test_outputs_that_no_log_names_go_with_their_turn(rig: Rig) -> None:
    folder = f"output/{HERE.address.key}"
    for name in ("q1-r7.log", "q12-r8.log", "q2-r9.log"):
        rig.write(f"{folder}/{name}")

    rig.forget("q2")
    rig.forget("c1", turn_id=TurnId("q1"))

    assert {path.name for path in (rig.root / folder).glob("*.log")} == {"r1.log", "r2.log", "q12-r8.log", "q2-r9.log"}
