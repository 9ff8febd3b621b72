from __future__ import annotations

import errno
import hashlib
import os
import resource
import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actors.objects.looking import MATCHED, RACY_NS, Looking
from domain.objects.looked import KEPT_BYTES, FileLook, Signature
from tests.ordinary_user import as_ordinary_user
from tests.pace import paced_s

LATER_NS = 4 * 10**18
"""A time of looking long after every file of these tests was changed."""
SECRET = "not for you"

Trap = Callable[[Path, Path], str]
"""Puts something into a folder, given the path of a file outside; gives its name."""


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    path = tmp_path / "outside" / "secret"
    path.parent.mkdir()
    path.write_text(SECRET)
    return path


@pytest.fixture
def root(tmp_path: Path) -> Path:
    path = tmp_path / "work"
    path.mkdir()
    return path


@pytest.fixture(autouse=True)
def no_descriptor_is_left_open() -> Iterator[None]:
    before = len(os.listdir("/proc/self/fd"))  # noqa: PTH208
    yield
    assert len(os.listdir("/proc/self/fd")) <= before  # noqa: PTH208 - fewer, if another test's garbage was collected


def put(root: Path, name: str, text: str = "words\n") -> Path:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    return path


def look(root: Path, name: str) -> FileLook:
    seen = Looking(root).look(name, reads=True)
    assert seen is not None
    return seen


def known_files(root: Path, *names: str, at_ns: int = LATER_NS) -> dict[str, tuple[Signature, int]]:
    return {name: (look(root, name).signature, at_ns) for name in names}


def signatures_of(root: Path, *names: str) -> dict[str, tuple[Signature, str]]:
    looks = [look(root, name) for name in names]
    return {each.path: (each.signature, each.content_hash) for each in looks}


# changed


def test_what_stayed_as_it_was_is_not_changed(root: Path) -> None:
    for name in ("a", "b/c", "b/d", ".hidden/e"):
        put(root, name)

    assert Looking(root).find_changed(known_files(root, "a", "b/c", "b/d", ".hidden/e")) == ()
    assert Looking(root).find_changed({}) == ()


def rewritten(root: Path, name: str) -> None:
    (root / name).write_text("other words\n")


def rewritten_with_its_old_times(root: Path, name: str) -> None:
    state = (root / name).stat()
    (root / name).write_text("WORDS\n")
    os.utime(root / name, ns=(state.st_atime_ns, state.st_mtime_ns))


def replace_file(root: Path, name: str) -> None:
    put(root, "other", "WORDS\n").replace(root / name)


def remove_file(root: Path, name: str) -> None:
    (root / name).unlink()


def made_a_folder(root: Path, name: str) -> None:
    (root / name).unlink()
    (root / name).mkdir()


def made_a_link(root: Path, name: str) -> None:
    (root / name).rename(root / "elsewhere")
    (root / name).symlink_to("elsewhere")


def given_a_second_name(root: Path, name: str) -> None:
    (root / "second").hardlink_to(root / name)


def folder_made_a_link(root: Path, name: str) -> None:
    """To itself at another place: the file is the same, and no way leads to it."""
    (root / "b").rename(root / "elsewhere")
    (root / "b").symlink_to("elsewhere")


def folder_removed(root: Path, name: str) -> None:
    (root / name).unlink()
    (root / "b").rmdir()


def root_removed(root: Path, name: str) -> None:
    root.rename(root.with_name("gone"))


def root_made_a_file(root: Path, name: str) -> None:
    root.rename(root.with_name("gone"))
    root.touch()


ACTS = (
    rewritten,
    rewritten_with_its_old_times,
    replace_file,
    remove_file,
    made_a_folder,
    made_a_link,
    given_a_second_name,
    folder_made_a_link,
    folder_removed,
    root_removed,
    root_made_a_file,
)


def test_whatever_becomes_of_a_file_it_is_changed(tmp_path: Path, subtests: pytest.Subtests) -> None:
    for act in ACTS:
        with subtests.test(act.__name__):
            root = tmp_path / act.__name__ / "work"
            put(root, "b/c")
            before = known_files(root, "b/c")

            act(root, "b/c")
            assert Looking(root).find_changed(before) == ("b/c",)


def test_those_that_changed_are_in_the_order_of_those_that_are_known(root: Path) -> None:
    names = ["z", "b/y", "a", "b/x"]
    for name in names:
        put(root, name)
    before = known_files(root, *names)

    for name in ("b/x", "z", "b/y"):
        rewritten(root, name)
    assert Looking(root).find_changed(before) == ("z", "b/y", "b/x")


def test_every_field_of_a_signature_tells(root: Path, subtests: pytest.Subtests) -> None:
    put(root, "a")
    signature = look(root, "a").signature
    fields = {name: getattr(signature, name) for name in signature.__struct_fields__}
    for field in ["device", "inode", "size", "mtime_ns", "ctime_ns"]:
        with subtests.test(field=field):
            other = Signature(**{**fields, field: fields[field] - 1})
            assert Looking(root).find_changed({"a": (other, LATER_NS)}) == ("a",)


@pytest.mark.parametrize(("after_ns", "is_fresh"), [(-(10**9), True), (0, True), (RACY_NS - 1, True), (RACY_NS, False)])
def test_a_file_that_changed_just_before_its_look_may_have_changed_again(
    root: Path, after_ns: int, is_fresh: bool
) -> None:
    put(root, "a")
    signature = look(root, "a").signature

    changed = Looking(root).find_changed({"a": (signature, signature.ctime_ns + after_ns)})
    assert changed == (("a",) if is_fresh else ())


def test_a_name_that_nothing_can_have_is_gone(root: Path, outside: Path, subtests: pytest.Subtests) -> None:
    state = outside.stat()
    signature = Signature(state.st_dev, state.st_ino, state.st_size, state.st_mtime_ns, state.st_ctime_ns)
    for name in ["", "..", "../outside/secret", "/etc/passwd", "a\0b", "\ud800", "b/\ud800", "x" * 5000]:
        with subtests.test(name=name):
            assert Looking(root).find_changed({name: (signature, LATER_NS)}) == (name,)


def test_no_file_outside_passes_for_a_known_one(root: Path, outside: Path) -> None:
    state = outside.stat()
    signature = Signature(state.st_dev, state.st_ino, state.st_size, state.st_mtime_ns, state.st_ctime_ns)
    (root / "out").symlink_to(outside.parent)

    assert Looking(root).find_changed({"out/secret": (signature, LATER_NS)}) == ("out/secret",)


def test_fifty_files_are_compared_in_a_fraction_of_a_millisecond(root: Path) -> None:
    names = [f"{n % 6}/{n}" for n in range(50)]
    for name in names:
        put(root, name)
    before, eye = known_files(root, *names), Looking(root)

    def check_unchanged() -> None:
        assert eye.find_changed(before) == ()

    assert paced_s(check_unchanged, tries=20, enough_s=0.001) < 0.001


# look


def test_a_text_is_read_with_its_signature(root: Path) -> None:
    state = put(root, "b/c", "wörds\r\n").stat()

    assert look(root, "b/c") == FileLook(
        path="b/c",
        signature=Signature(state.st_dev, state.st_ino, state.st_size, state.st_mtime_ns, state.st_ctime_ns),
        status="text",
        size=8,
        content_hash=hashlib.sha256("wörds\r\n".encode()).hexdigest(),
        text="wörds\r\n",
    )


def test_a_file_that_is_not_to_be_read_is_seen(root: Path) -> None:
    put(root, "a")

    seen = Looking(root).look("a", reads=False)
    assert seen is not None
    assert (seen.path, seen.status, seen.size, seen.content_hash, seen.text) == ("a", "unread", 6, "", None)
    assert seen.signature == look(root, "a").signature


def test_of_a_large_file_the_beginning_is_read_and_its_whole_size_known(root: Path) -> None:
    put(root, "a", "x" * KEPT_BYTES + "tail")

    seen = look(root, "a")
    assert (seen.status, seen.size, seen.text) == ("large", KEPT_BYTES + 4, "x" * KEPT_BYTES)


def test_a_file_as_large_as_a_disk_costs_no_more(root: Path) -> None:
    with (root / "a").open("wb") as file:
        file.write(b"x" * KEPT_BYTES + b"yy")
        file.truncate(2**40)

    seen = look(root, "a")
    assert (seen.status, seen.size) == ("large", 2**40)


def link_out(root: Path, outside: Path) -> str:
    (root / "a").symlink_to(outside)
    return "a"


def folder_link_out(root: Path, outside: Path) -> str:
    (root / "a").symlink_to(outside.parent)
    return "a/secret"


def folder_link_inside(root: Path, outside: Path) -> str:
    put(root, "b/c")
    (root / "a").symlink_to("b")
    return "a/c"


def hard_link(root: Path, outside: Path) -> str:
    (root / "a").hardlink_to(outside)
    return "a"


def fifo(root: Path, outside: Path) -> str:
    os.mkfifo(root / "a")
    return "a"


def socket_file(root: Path, outside: Path) -> str:
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(root / "a"))
    return "a"


def device(root: Path, outside: Path) -> str:
    (root / "a").symlink_to("/dev/zero")
    return "a"


def magic_link(root: Path, outside: Path) -> str:
    (root / "a").symlink_to("/proc/self/root")
    return f"a{outside}"


def folder(root: Path, outside: Path) -> str:
    (root / "a").mkdir()
    return "a"


def way_up(root: Path, outside: Path) -> str:
    return f"../{outside.parent.name}/{outside.name}"


def way_up_and_down(root: Path, outside: Path) -> str:
    put(root, "b/c")
    return "b/../b/c"


def absolute_path(root: Path, outside: Path) -> str:
    return str(outside)


def nothing(root: Path, outside: Path) -> str:
    return "a"


def no_folder(root: Path, outside: Path) -> str:
    put(root, "a")
    return "a/b"


def line_feed(root: Path, outside: Path) -> str:
    put(root, "a\nb")
    return "a\nb"


def escape_character(root: Path, outside: Path) -> str:
    put(root, "\x1b[0m")
    return "\x1b[0m"


def no_utf_8(root: Path, outside: Path) -> str:
    (root / os.fsdecode(b"\xff")).write_text("words")
    return os.fsdecode(b"\xff")


def no_root(root: Path, outside: Path) -> str:
    root.rmdir()
    return "a"


TRAPS = (
    link_out,
    folder_link_out,
    folder_link_inside,
    hard_link,
    fifo,
    socket_file,
    device,
    magic_link,
    folder,
    way_up,
    way_up_and_down,
    absolute_path,
    nothing,
    no_folder,
    line_feed,
    escape_character,
    no_utf_8,
    no_root,
)


def test_only_a_regular_file_of_one_name_below_the_root_is_seen(
    tmp_path: Path, outside: Path, subtests: pytest.Subtests
) -> None:
    for trap in TRAPS:
        root = tmp_path / trap.__name__
        root.mkdir()
        name = trap(root, outside)
        for reads in (True, False):
            with subtests.test(trap.__name__, reads=reads):
                assert Looking(root).look(name, reads=reads) is None
        outside.unlink()
        outside.write_text(SECRET)


def test_a_name_that_no_file_can_have_is_none(root: Path, subtests: pytest.Subtests) -> None:
    put(root, "a")
    for name in ["", "a\0b", "a\0", "\ud800"]:
        with subtests.test(name=name):
            assert Looking(root).look(name, reads=True) is None
            assert Looking(root).look(name, reads=False) is None


@pytest.mark.parametrize("shut", ["a/b", "a"])
def test_what_may_not_be_read_is_none_and_no_error(root: Path, shut: str) -> None:
    put(root, "a/b")
    (root / shut).chmod(0)

    with as_ordinary_user():
        assert Looking(root).look("a/b", reads=True) is None
    (root / shut).chmod(0o700)


def test_a_file_that_is_rewritten_all_the_time_is_seen_as_one_of_its_states(root: Path) -> None:
    """By `replace`, as editors do it."""
    over = threading.Event()
    put(root, "a", "0" * 50_000)

    def rewrite() -> None:
        turn = 0
        while not over.is_set():
            turn = (turn + 1) % 10
            put(root, "b", str(turn) * 50_000).replace(root / "a")

    writer = threading.Thread(target=rewrite)
    writer.start()
    try:
        looks = [look(root, "a") for _ in range(200)]
    finally:
        over.set()
        writer.join()
    assert {(len(set(each.text or "")), each.size, each.signature.size) for each in looks} == {(1, 50_000, 50_000)}


def test_a_file_that_is_written_while_it_is_read_is_read_again(root: Path) -> None:
    put(root, "a", "first\n")
    reads: list[int] = []

    def written_meanwhile(opened: int, size: int, offset: int) -> bytes:
        data = os.pread(opened, size, offset)
        if not reads:
            put(root, "a", "second!\n")
        reads.append(offset)
        return data

    seen = Looking(root, pread=written_meanwhile).look("a", reads=True)
    assert seen is not None
    assert (seen.text, seen.size) == ("second!\n", 8)
    assert Looking(root).find_changed({"a": (seen.signature, LATER_NS)}) == ()


def test_a_file_that_never_rests_is_read_a_few_times_and_differs_from_its_look(
    root: Path,
) -> None:
    put(root, "a", "x")
    reads: list[int] = []

    def written_meanwhile(opened: int, size: int, offset: int) -> bytes:
        data = os.pread(opened, size, offset)
        reads.append(offset)
        put(root, "a", "x" * (2 * len(reads)))
        return data

    seen = Looking(root, pread=written_meanwhile).look("a", reads=True)
    assert seen is not None
    assert len(reads) < 20
    assert Looking(root).find_changed({"a": (seen.signature, LATER_NS)}) == ("a",)


def test_a_file_that_grows_without_end_is_read_up_to_the_bound(root: Path) -> None:
    put(root, "a", "x")

    def grown_meanwhile(opened: int, size: int, offset: int) -> bytes:
        with (root / "a").open("ab") as file:
            file.write(b"x" * 100_000)
        return os.pread(opened, min(size, 50_000), offset)

    seen = Looking(root, pread=grown_meanwhile).look("a", reads=True)
    assert seen is not None
    assert (seen.status, len(seen.text or "")) == ("large", KEPT_BYTES)
    assert seen.size > KEPT_BYTES


# find


def test_a_file_that_was_moved_is_found(root: Path) -> None:
    put(root, "a", "x")
    put(root, "b", "y")
    put(root, "c", "z")
    before = signatures_of(root, "a", "b", "c")

    (root / ".git" / "deep").mkdir(parents=True)
    (root / "a").rename(root / ".git" / "deep" / "A")
    (root / "b").rename(root / "B")
    (root / "c").unlink()
    assert Looking(root).find(before) == {"a": ".git/deep/A", "b": "B"}
    assert Looking(root).find({}) == {}


def test_a_moved_file_that_was_not_read_is_known_by_its_times(root: Path) -> None:
    put(root, "a", "x")
    signature = look(root, "a").signature
    (root / "a").rename(root / "b")
    eye = Looking(root)

    assert eye.find({"a": (signature, "")}) == {"a": "b"}
    os.utime(root / "b", ns=(0, 0))
    assert eye.find({"a": (signature, "")}) == {}


def of_another_size(path: Path) -> None:
    path.write_text("other")


def of_other_content(path: Path) -> None:
    path.write_text("y")


def with_a_second_name(path: Path) -> None:
    path.with_name("second").hardlink_to(path)


@pytest.mark.parametrize("act", [of_another_size, of_other_content, with_a_second_name])
def test_an_inode_alone_is_no_file(root: Path, act: Callable[[Path], None]) -> None:
    put(root, "a", "x")
    before = signatures_of(root, "a")

    (root / "a").rename(root / "b")
    assert Looking(root).find(before) == {"a": "b"}
    act(root / "b")
    assert Looking(root).find(before) == {}


def test_size_tells_two_files_apart_though_nothing_was_read(root: Path) -> None:
    put(root, "a", "x")
    signature = look(root, "a").signature
    (root / "a").rename(root / "b")
    (root / "b").write_text("xy")
    os.utime(root / "b", ns=(signature.mtime_ns, signature.mtime_ns))

    assert Looking(root).find({"a": (signature, "")}) == {}


def test_a_file_of_another_device_is_another(root: Path) -> None:
    put(root, "a", "x")
    ((name, (signature, content_hash)),) = signatures_of(root, "a").items()
    there = Signature(signature.device + 1, signature.inode, signature.size, signature.mtime_ns, signature.ctime_ns)

    assert Looking(root).find({name: (there, content_hash)}) == {}


def test_what_was_moved_out_is_not_found_through_a_link(root: Path, outside: Path) -> None:
    put(root, "a", "x")
    before = signatures_of(root, "a")

    (root / "a").rename(outside.parent / "a")
    (root / "out").symlink_to(outside.parent)
    (root / "b").symlink_to(outside.parent / "a")
    assert Looking(root).find(before) == {}
    assert Looking(root).find({"a": (before["a"][0], "")}) == {}


@pytest.mark.parametrize("name", ["a\nb", os.fsdecode(b"\xff"), "x" * 200 + "/" + "y" * 200])
def test_what_has_a_name_that_is_not_plain_is_not_found(root: Path, name: str) -> None:
    put(root, "a", "x")
    before = signatures_of(root, "a")

    (root / name).parent.mkdir(exist_ok=True)
    (root / "a").rename(root / name)
    assert Looking(root).find(before) == {}


def test_a_search_looks_at_so_many_entries_and_no_more(root: Path) -> None:
    put(root, "a", "x")
    before = signatures_of(root, "a")
    for n in range(20):
        put(root, f"b/{n}")
    (root / "b" / "c").mkdir()
    (root / "a").rename(root / "b" / "c" / "d")

    assert Looking(root).find(before, limit=1 + 21 + 1) == {"a": "b/c/d"}
    assert Looking(root).find(before, limit=1 + 21) == {}
    assert Looking(root).find(before, limit=0) == {}


def test_nothing_is_found_where_nothing_is(root: Path) -> None:
    put(root, "a", "x")
    before = signatures_of(root, "a")
    (root / "a").unlink()
    root.rmdir()

    assert Looking(root).find(before) == {}
    assert Looking(root).matching(["*"]) == ()


def test_a_folder_that_is_shut_hides_only_itself(root: Path) -> None:
    put(root, "a", "x")
    before = signatures_of(root, "a")
    put(root, "0/b")
    put(root, "9/b")
    (root / "a").rename(root / "9" / "a")
    (root / "0").chmod(0)

    assert Looking(root).find(before) == {"a": "9/a"}
    (root / "0").chmod(0o700)


@pytest.mark.slow
def test_a_hundred_thousand_entries_are_walked_in_bounded_time(root: Path) -> None:
    (root / "many").mkdir()
    put(root, "a", "x")
    before = signatures_of(root, "a")
    for n in range(100_000):
        (root / "many" / f"{n}").touch()
    (root / "a").unlink()

    def looked_for() -> None:
        assert Looking(root).find(before) == {}
        assert len(Looking(root).matching(["*/*9", "many/*7", "*/*"])) == MATCHED

    assert paced_s(looked_for, tries=3, enough_s=0.3) < 0.3


def test_folders_deeper_than_a_path_are_walked_as_deep_as_a_plain_path_goes(root: Path) -> None:
    deep = os.open(root, os.O_PATH)
    for _ in range(400):
        os.mkdir("dd", dir_fd=deep)
        below = os.open("dd", os.O_PATH, dir_fd=deep)
        os.close(deep)
        deep = below
    os.close(deep)
    put(root, "a", "x")
    before = signatures_of(root, "a")
    (root / "a").rename(root / "dd" / "dd" / "b")

    assert Looking(root).find(before) == {"a": "dd/dd/b"}
    assert Looking(root).find({"a": (Signature(0, 0, 0, 0, 0), "")}) == {}


# matching


@pytest.fixture
def tree(root: Path) -> Path:
    for name in ("a.py", "b.py", "c.txt", ".d.py", "src/e.py", "src/sub/f.py", "lib/g.py", ".h/i.py", "j[1].py"):
        put(root, name)
    (root / "k.py").mkdir()
    (root / "l.py").symlink_to("a.py")
    (root / "m").symlink_to("src")
    os.mkfifo(root / "n.py")
    return root


def test_patterns_match_as_in_a_shell(tree: Path, subtests: pytest.Subtests) -> None:
    for pattern, names in [
        ("*.py", ["a.py", "b.py", "j[1].py"]),
        ("?.py", ["a.py", "b.py"]),
        ("[ab].py", ["a.py", "b.py"]),
        ("[!a].py", ["b.py"]),
        ("[^a].py", ["b.py"]),
        (".*.py", [".d.py"]),
        ("*/*.py", ["lib/g.py", "src/e.py"]),
        (".*/*.py", [".h/i.py"]),
        ("src/*.py", ["src/e.py"]),
        ("*/sub/*", ["src/sub/f.py"]),
        ("s*/sub/f.py", ["src/sub/f.py"]),
        ("*/e.py", ["src/e.py"]),
        ("j[[]1].py", ["j[1].py"]),
        ("m/*.py", []),
        ("a.py/*", []),
        ("nothing/*", []),
        ("*/nothing", []),
        ("A*", []),
        ("[", []),
        ("[z-a]*", []),
    ]:
        with subtests.test(pattern=pattern, names=names):
            assert Looking(tree).matching([pattern]) == tuple(names)


def test_what_several_patterns_match_is_named_once(tree: Path) -> None:
    assert Looking(tree).matching(["b*", "*.py", "a*"]) == ("b.py", "a.py", "j[1].py")
    assert Looking(tree).matching(["*.py", "*/*.py"], limit=4) == ("a.py", "b.py", "j[1].py", "lib/g.py")
    assert Looking(tree).matching([]) == ()


def test_a_pattern_that_is_not_plain_matches_nothing(tree: Path, outside: Path, subtests: pytest.Subtests) -> None:
    for pattern in ["../*", "/*", "/etc/*", "src/../*", "", "*\0", "*\n", "\ud800*", "./*"]:
        with subtests.test(pattern=pattern):
            assert Looking(tree).matching([pattern]) == ()


def test_so_many_entries_are_looked_at_for_all_patterns_together(root: Path) -> None:
    for n in range(9):
        put(root, f"{n}")

    assert len(Looking(root, walked=10).matching(["[a-z]", "*"])) == 1


def test_files_that_no_pattern_may_name_stay_unnamed(root: Path) -> None:
    for n in range(MATCHED + 5):
        put(root, f"{n:03}")
    no_utf_8(root, root)
    line_feed(root, root)

    assert Looking(root).matching(["*"]) == tuple(f"{n:03}" for n in range(MATCHED))
    assert Looking(root).matching(["a*", "\udcff*"]) == ()


@given(st.lists(st.text("*?[]!^-ab/.", max_size=20), max_size=4))
def test_any_patterns_are_taken(tmp_path_factory: pytest.TempPathFactory, patterns: list[str]) -> None:
    root = tmp_path_factory.getbasetemp() / "patterns"
    if not root.exists():
        put(root, "a/b")
        put(root, "ab")

    assert set(Looking(root).matching(patterns)) <= {"a/b", "ab"}


# the machine's own troubles


@pytest.mark.parametrize("left", [0, 1])
def test_a_machine_without_descriptors_says_so_and_loses_no_file(root: Path, left: int) -> None:
    put(root, "b/a")
    before, there, eye = known_files(root, "b/a"), signatures_of(root, "b/a"), Looking(root)
    acts: list[Callable[[], object]] = [
        lambda: eye.find_changed(before),
        lambda: eye.look("b/a", reads=True),
        lambda: eye.look("b/a", reads=False),
        lambda: eye.find(there),
        lambda: eye.matching(["b/*"]),
        lambda: eye.matching(["*/a"]),
    ]
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    used = {n for n in range(limits[0] if limits[0] < 5_000 else 5_000) if Path(f"/proc/self/fd/{n}").is_symlink()}
    outcomes: list[object] = []
    resource.setrlimit(resource.RLIMIT_NOFILE, (_numbers_up_to(left, used), limits[1]))
    try:
        for act in acts:
            try:
                outcomes.append(act())
            except OSError as error:
                outcomes.append(error.errno)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)

    assert outcomes == [errno.EMFILE] * len(acts)


def _numbers_up_to(left: int, used: set[int]) -> int:
    """The limit below which just so many numbers of descriptors are free."""
    return [n for n in range(len(used) + left + 2) if n not in used][left]
