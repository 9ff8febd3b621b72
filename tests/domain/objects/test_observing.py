"""Observation of commands: what they name and list, whatever they are."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.objects.observing import MOST_LINES, MOST_NAMES, observed
from domain.objects.path import is_plain

FOLDER = "/srv/work/1"


@pytest.mark.req("S3-40", "S3-59")
@pytest.mark.parametrize(
    ("command", "names"),
    [
        ("cat a.txt", ["a.txt"]),
        ("cat ./a.txt d/../b.txt", ["a.txt", "b.txt"]),
        (f"cat {FOLDER}/a.txt", ["a.txt"]),
        ("cat /etc/passwd ../a ~/b /srv/work/12/c", []),
        ("cd d && cat a.txt", ["d/a.txt"]),
        ("cd d; cd ..; cat a.txt", ["a.txt"]),
        ("cd d && cd && cat a.txt", ["a.txt"]),
        ("(cd d && cat a); cat b", ["d/a", "b"]),
        ("cat 'a b' \"c d\" e\\ f", ["a b", "c d", "e f"]),
        ('cat "$X" $(ls) `ls` a$X', []),
        ("X=1 LANG=C sudo cat a", ["a"]),
        ("timeout 5 cat a", ["a"]),
        ("sed -i s,x,y, a", ["a"]),
        ("echo x > a; echo y >> b; tee c < d", ["a", "b", "d", "c", "x", "y"]),
        ("echo x 2>err >out", ["err", "out", "x"]),
        ("echo x >&2 <<< here", ["x"]),
        ("cat > a <<EOF\nsed -i b c\nEOF\ncat d", ["a", "d"]),
        ("cat > a <<-'E F'\nx", ["a"]),
        ("bash -c 'cd d && cat a'", ["d/a"]),
        ("python3 run.py --out=res.json -v", ["run.py", "res.json"]),
        ("# cat a\ncat b # c", ["b"]),
        ("cat a\\\nb", ["ab"]),
        ("mv a d/b", ["a", "d/b"]),
        ("if test -f a; then cat b; fi", ["a", "b"]),
        ("cat 'a", ["a"]),
        ("", []),
        ("cat", []),
    ],
)
def test_a_command_names_files(command: str, names: list[str]) -> None:
    found = observed(command, "", FOLDER).names
    assert [name for name in names if name not in found] == []
    assert set(found) - set(names) <= {"s,x,y,", "fi"}


@pytest.mark.parametrize(
    ("command", "reads"),
    [
        ("cat a", {"a"}),
        ("head -5 a | tail -1", {"a"}),
        ("python3 a < b", {"a", "b"}),
        ("echo x > a", set()),
        ("cp a b", set()),
        ("touch a", set()),
        ("xargs cat a", {"a"}),
    ],
)
def test_readers_and_what_is_handed_in_read(command: str, reads: set[str]) -> None:
    assert set(observed(command, "", FOLDER).reads) == reads


@pytest.mark.parametrize(
    ("command", "whole"),
    [
        ("cat a", "a"),
        ("cd d && cat a", "d/a"),
        ("cat a; cd d", "a"),
        ("bash -c 'cat a'", "a"),
        ("cat a b", ""),
        ("cat -n a", ""),
        ("cat a | head", ""),
        ("cat a > b", ""),
        ("cat *", ""),
        ("cat $X", ""),
        ("echo; cat a", ""),
        ("cat a; cat b", ""),
        ("cat ../a", ""),
        ("tac a", ""),
        ("head -5 | cat a", ""),
    ],
)
def test_a_plain_cat_is_a_whole_file(command: str, whole: str) -> None:
    assert observed(command, "", FOLDER).whole == whole


@pytest.mark.req("S3-24", "S3-39")
@pytest.mark.parametrize(
    ("command", "output", "listed"),
    [
        ("ls", "a\nb", {"a", "b"}),
        ("ls d", "a", {"a", "d/a"}),
        (
            "ls -l d",
            "total 4\n-rw-r--r-- 1 me us 12 Nov 25 08:37 a b\nlrwxrwxrwx 1 m u 1 Nov 25 2025 l -> x",
            {"a b", "l"},
        ),
        ("find . -type f", "./a\n./d/b", {"a", "d/b"}),
        ("cd d && find", "./a", {"d/a"}),
        ("grep -rn x .", "a:3:x\nd/b:4:x: y\nBinary file c matches", {"a", "d/b"}),
        ("git grep -l x", "a\nb", {"a", "b"}),
        ("rg --files", "a\nd/b", {"a", "d/b"}),
        ("cat a", "b\nc", set()),
        ("find / -name x", "/etc/x\n/srv/work/1/y\n../z", {"y"}),
    ],
)
def test_listings_name_files(command: str, output: str, listed: set[str]) -> None:
    found = set(observed(command, output, FOLDER).listed)
    assert listed - found == set()
    assert all(is_plain(path) for path in found)
    if not listed:
        assert not found


def test_wildcards_are_left_to_the_folder() -> None:
    seen = observed("cat *.md d/[ab]?.txt '*.py'", "", FOLDER)
    assert (seen.patterns, seen.names) == (("*.md", "d/[ab]?.txt"), ("*.py",))


@pytest.mark.parametrize(
    ("command", "manages"),
    [
        ("/x/skills/context-objects/scripts/objects.py activate t3", True),
        ("python3 /x/context-objects/scripts/objects.py list && /x/context-objects/scripts/objects.py pin f2", True),
        ("cd d; /x/context-objects/scripts/objects.py read a", True),
        ("/x/context-objects/scripts/objects.py list | head; make", False),
        ("cat /x/context-objects/scripts/objects.py", False),
        ("make", False),
        ("", False),
    ],
)
def test_a_command_that_only_manages_objects(command: str, manages: bool) -> None:
    assert observed(command, "", FOLDER).manages is manages


SHELL = st.lists(
    st.one_of(
        st.sampled_from([*"'\"\\;|&()<>$`#~*?[]{}\n \t", "<<E", "E\n", "cd ", "cat ", "ls ", "bash -c ", "../", "a/b"]),
        st.text(max_size=3),
    ),
    max_size=60,
).map("".join)


@given(SHELL, SHELL)
@settings(max_examples=400)
def test_whatever_is_run_every_candidate_is_a_plain_path(command: str, output: str) -> None:
    seen = observed(command, output, FOLDER)
    assert all(is_plain(path) for path in (*seen.names, *seen.patterns, *seen.listed, *filter(None, [seen.whole])))
    assert set(seen.reads) <= set(seen.names)
    assert seen == observed(command, output, FOLDER)


@pytest.mark.parametrize("piece", ["'", "'\"\\", "(", "a ", "<<", "\\", "cat x; ", "$(", '"\\"', "ls;", "\n<<E\n"])
def test_a_long_command_is_looked_at_in_no_time(piece: str) -> None:
    began = time.thread_time()
    seen = observed(piece * 100_000, "x\n" * 100_000, FOLDER)
    assert time.thread_time() - began < 0.1
    assert len(seen.names) <= MOST_NAMES
    assert len(seen.listed) <= MOST_LINES
