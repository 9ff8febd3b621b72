from __future__ import annotations

from actors.shell.job import LateMount
from actors.shell.sandbox.bubblewrap import plan_files
from actors.shell.sandbox.late_mounts import SOURCES, split
from actors.shell.sandbox.view import View
from messages.shell import SharedFolder


def late(folder: str, path: str, source: str = "", *, may_write: bool = False, is_shared: bool = False) -> LateMount:
    return LateMount(folder=folder, path=path, source=source, may_write=may_write, is_shared=is_shared)


def test_what_lies_in_a_folder_that_may_be_changed_is_left_for_later_and_its_folder_is_not() -> None:
    shared = SharedFolder(path="/d/s", may_write=True, kept=("index",))
    view = View(cwd="/w", own=("/w",), shared=(shared, SharedFolder(path="/d/s/a/b"), SharedFolder(path="/d/r")))

    files = plan_files(view, by_descriptor=True)

    assert files.late == (
        late("/d/s", "index", is_shared=True),
        late("/d/s", "a", may_write=True, is_shared=True),
        late("/d/s", "a/b", is_shared=True),
    )
    assert "/d/s/index" not in files.words
    assert {"/w", "/d/s", "/d/r"} <= set(files.words)
    assert plan_files(view, by_descriptor=False).late == ()


def test_what_is_only_read_here_may_be_changed_by_another_command_meanwhile() -> None:
    shared = (SharedFolder(path="/d/s", hidden=("key",)), SharedFolder(path="/d/s/a/b", may_write=True))
    view = View(cwd="/p", own=("/h",), folders=("/p",), shared=shared, hidden=("/d/s/key", "/p/.env"))

    assert plan_files(view, by_descriptor=True).late == (
        late("/d/s", "a/b", may_write=True, is_shared=True),
        late("/d/s", "key", "/dev/null", is_shared=True),
        late("/p", ".env", "/dev/null"),
    )


def test_a_caller_s_kept_hidden_and_copied_files_are_mounted_by_descriptor() -> None:
    view = View(
        cwd="/p",
        own=("/p", "/tmp/home"),
        protected=("/p/.git", "/p/a/.bashrc", "/p/.git/config"),
        hidden=("/p/.env",),
        readable=(("/tmp/copies/0", "/p/.git/config"),),
    )

    files = plan_files(view, by_descriptor=True)

    assert set(files.late) == {
        late("/p", ".git", may_write=True),
        late("/p", "a", may_write=True),
        late("/p", ".git"),
        late("/p", "a/.bashrc"),
        late("/p", ".git/config"),
        late("/p", ".env", "/dev/null"),
        late("/p", ".git/config", f"{SOURCES}/6"),
    }
    assert files.late.index(late("/p", "a", may_write=True)) < files.late.index(late("/p", "a/.bashrc"))
    at = files.words.index("/tmp/copies/0")
    assert files.words[at - 1 : at + 2] == ("--ro-bind-try", "/tmp/copies/0", f"{SOURCES}/6")


def test_an_ordinary_command_has_none() -> None:
    """Its attachments are a mount in each command that may change its folder, so nothing can be put in their place."""
    view = View(cwd="/w", own=("/w",), readable=(("/d/attachments/1", "/w/attachments"), ("/d/logs", "/d/logs")))

    assert plan_files(view, by_descriptor=True).late == ()
    assert plan_files(view, by_descriptor=True) == plan_files(view, by_descriptor=False)


def test_an_empty_cover_is_for_later_and_one_with_something_in_it_is_made_by_path() -> None:
    def cover(path: str) -> tuple[str, ...]:
        return ("--size", "4096", "--tmpfs", path)

    mounts = [
        ("--bind", "/p", "/p"),
        cover("/p/.ssh"),
        cover("/p/data"),
        ("--ro-bind-try", "/l", "/p/data/logs"),
        ("--remount-ro", "/p/.ssh"),
        ("--remount-ro", "/p/data"),
    ]

    early = split(mounts, View(cwd="/p", own=("/p",)))

    assert early.late == (LateMount(folder="/p", path=".ssh", is_cover=True),)
    assert early.mounts == [mount for mount in mounts if mount[-1] != "/p/.ssh"]


def test_in_a_folder_in_memory_nobody_else_can_change_a_name() -> None:
    mounts = [("--bind", "/p", "/p"), ("--size", "4096", "--tmpfs", "/p/data"), ("--ro-bind-try", "/l", "/p/data/logs")]

    assert split(mounts, View(cwd="/p", own=("/p",))).mounts == mounts
