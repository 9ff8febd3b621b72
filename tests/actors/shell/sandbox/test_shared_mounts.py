from __future__ import annotations

from pathlib import Path

from actors.shell.sandbox.bubblewrap import command_line
from actors.shell.sandbox.shared_mounts import cover, innermost, with_shared
from actors.shell.sandbox.view import View
from messages.shell import SharedFolder


def view(*shared: SharedFolder, **given: tuple[str, ...]) -> View:
    return View(cwd="/w", **{"own": ("/w",), **given}, shared=shared)  # type: ignore[arg-type]


def share(path: str, *kept: str, may_write: bool = True) -> SharedFolder:
    return SharedFolder(path=path, may_write=may_write, kept=kept)


def bind(path: str) -> tuple[str, str, str]:
    return "--bind-try", path, path


def ro(path: str) -> tuple[str, str, str]:
    return "--ro-bind-try", path, path


def mount_arguments(of: View, *mounts: tuple[str, ...]) -> list[tuple[str, ...]]:
    result = list(mounts)
    with_shared(result, of)
    return result


def test_the_innermost_folder_is_the_longest() -> None:
    assert innermost("/a/b/c", ("/a", "/a/b", "/a/bc", "/")) == "/a/b"
    assert innermost("/a/b", ("/a/b/c",)) == ""


def test_one_lies_over_what_it_lies_in_and_below_what_lies_in_it() -> None:
    outer, same, inner = ro("/p"), cover("/p/s"), cover("/p/s/hidden")
    assert mount_arguments(view(share("/p/s")), ro("/x"), outer, same, inner) == [
        ro("/x"),
        outer,
        same,
        bind("/p/s"),
        inner,
    ]
    assert mount_arguments(view(share("/s", may_write=False)), ro("/s/inner")) == [ro("/s"), ro("/s/inner")]


def test_what_is_kept_lies_over_it_and_another_one_over_both() -> None:
    of = view(share("/s/kept/deep", may_write=False), share("/s", "kept"))
    assert mount_arguments(of) == [bind("/s"), ro("/s/kept"), ro("/s/kept/deep")]


def test_what_lies_in_one_that_may_be_changed_is_held_by_the_folders_between() -> None:
    of = view(share("/s"), share("/s/a/b/t", may_write=False), hidden=("/s/h/file",))
    assert mount_arguments(of) == [bind("/s"), bind("/s/h"), bind("/s/a"), bind("/s/a/b"), ro("/s/a/b/t")]
    of = view(share("/s", may_write=False), share("/s/a/t"))
    assert mount_arguments(of) == [ro("/s"), bind("/s/a/t")]
    own = ("--bind", "/s/x/w", "/s/x/w")
    assert mount_arguments(view(share("/s"), own=("/s/x/w",)), own) == [bind("/s"), bind("/s/x"), own]


def test_what_lies_under_a_cover_is_not_shown_to_hold_anything() -> None:
    of = view(share("/s"), share("/s/hidden/a/t"), hidden=("/s/hidden",))
    assert mount_arguments(of, cover("/s/hidden")) == [bind("/s"), cover("/s/hidden"), bind("/s/hidden/a/t")]


def test_folders_above_one_in_the_commands_own_memory_are_closed() -> None:
    mounts: list[tuple[str, ...]] = [ro("/tmp/b/c")]
    of = view(share("/tmp/a/s"), share("/tmp/b/c/s"), share("/dev/shm/x/s"), share("/tmp/s"), share("/tmp2/a/s"))
    assert with_shared(mounts, of) == ("/dev/shm/x", "/tmp/a", "/tmp/b")
    assert mounts[:3] == [cover("/dev/shm/x"), cover("/tmp/a"), cover("/tmp/b")]
    above: tuple[str, ...]
    for above in (ro("/tmp/a"), ro("/tmp")):
        assert with_shared([above], view(share("/tmp/a/s"))) == ()


def test_without_any_the_command_line_is_as_it_was() -> None:
    plain = command_line("bwrap", view(), "bash", "true")
    assert not [word for word in plain if word == "--bind-try"]


def test_folders_above_one_in_what_is_own_are_held_but_none_in_one_that_is_only_read() -> None:
    for hidden in ((), ("/w/a/s/b/c",)):
        words = command_line("bwrap", view(share("/w/a/s", may_write=False), hidden=hidden), "bash", "true")
        assert [words[at + 1] for at, word in enumerate(words) if word == "--bind"] == ["/w", "/w/a"]


def test_one_by_whose_name_it_would_be_hidden_is_not_made_read_only(tmp_path: Path) -> None:
    hidden = str(tmp_path)
    words = command_line("bwrap", view(share(hidden), hidden=(hidden,)), "bash", "true")
    assert hidden not in [words[at + 1] for at, word in enumerate(words) if word == "--remount-ro"]
