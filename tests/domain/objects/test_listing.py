from __future__ import annotations

import pytest

from domain.objects.listing import MOST_LINES, MOST_NAMES, Listing, listed_paths

ROOT = "/data/work/w"


def names(
    program: str, output: str, *operands: str, options: str = "", here: str = ROOT, of_names: bool = False
) -> list[str]:
    listing = Listing(program=program, here=here, operands=operands, options=options, is_of_names=of_names)
    return list(listed_paths(ROOT, output, [listing]))


def test_ls_names_what_is_in_the_folder_it_was_run_in_or_given() -> None:
    assert names("ls", "a\nb c\n") == ["a", "b c"]
    assert names("ls", "a\n", here=f"{ROOT}/src") == ["src/a"]
    assert names("ls", "a\nb\n", "src") == ["src/a", "src/b"]
    assert names("ls", "a\n", "src/", here=f"{ROOT}/x") == ["x/src/a"]
    assert names("ls", "a\n", f"{ROOT}/src") == ["src/a"]
    assert names("ls", "a\n", ".") == ["a"]
    assert names("ls", "src/a\n", "src/a") == ["src/a"]
    assert names("ls", "src\n", "src", options="d") == ["src"]
    assert names("ls", "a\n", "/etc") == []


def test_ls_of_several_folders_has_their_names_as_heads() -> None:
    assert names("ls", "top\n\nsrc:\na\n\n./lib/x:\nb\n", "top", "src", "lib/x") == ["top", "src/a", "lib/x/b"]
    assert names("ls", ".:\na\n\n./b:\nc\n", options="R") == ["a", "b/c"]


def test_ls_tells_more_of_a_file_when_it_is_asked(subtests: pytest.Subtests) -> None:
    cases: list[tuple[str, str, str]] = [
        ("-rw-r--r-- 1 root root 1234 May  1 12:00 a b.txt", "la", "a b.txt"),
        ("-rw-r--r--. 1 me us 1.2K May 11  2024 a", "lh", "a"),
        ("-rwxr-xr-x  1 me 5 11 May 09:01 a", "lG", "a"),
        ("-rw-r--r-- 1 me us 5 2024-05-01 12:00 a", "l", "a"),
        ("-rw-r--r-- 1 me us 5 2024-05-01 12:00:01.123456789 +0200 a b", "l", "a b"),
        ("  123 4 -rw-r--r-- 1 me us 5 May  1 12:00 a", "lis", "a"),
        ("-rw-r--r-- 1 me us 5 Mai.  1 12:00 a", "l", "a"),
        ("drwxr-xr-x 2 me us 4096 May  1 12:00 a", "l", ""),
        ("lrwxrwxrwx 1 me us 4 May  1 12:00 a -> b", "l", ""),
        ("total 12", "l", ""),
        ("  123 a 1 b", "i", "a 1 b"),
        ("4 123 a", "si", "a"),
        ("a 1 b", "i", "a 1 b"),
        ("run.sh*", "F", "run.sh"),
        ("run.sh*", "", "run.sh*"),
    ]
    for line, options, name in cases:
        with subtests.test(line=line, options=options, name=name):
            assert names("ls", f"{line}\n", options=options) == ([name] if name else [])


def test_find_prints_a_name_a_line() -> None:
    assert names("find", f"./a\n./b c/d:e\n.\n{ROOT}/f\n/etc/passwd\n../x\r\n./g\r\n") == ["a", "b c/d:e", "f", "g"]
    assert names("find", "./a\n", here=f"{ROOT}/src") == ["src/a"]


def test_grep_prints_a_name_before_the_first_colon() -> None:
    output = "src/a.py:3:def f(): # x:y\nsrc/b.py-4-no\n--\nBinary file c matches\nwords\nd:\n"

    assert names("grep", output) == ["src/a.py", "d"]
    assert names("grep", "a\nb:c\n", of_names=True) == ["a", "b:c"]


def test_trees_and_git_have_their_own_lines() -> None:
    assert names("tree", ".\n├── ./a b\n│\xa0\xa0 └── ./c/d\n./e\n\n1 directory") == ["a b", "c/d", "e", "1 directory"]
    assert names("git status", " M a\n?? b c\nA  d/e\n") == ["a", "b c", "d/e"]
    assert names("git ls", "a\nb\n") == ["a", "b"]


def test_lines_may_be_of_any_program_that_was_run() -> None:
    listings = [Listing(program="ls", here=ROOT, operands=("src",)), Listing(program="grep", here=ROOT)]

    assert listed_paths(ROOT, "a\nb:1:x\n", listings) == ("src/a", "src/b:1:x", "b")
    assert listed_paths(ROOT, "a\n", []) == ()


def test_so_many_lines_and_names_are_looked_at() -> None:
    output = "".join(f"{n}\n" for n in range(MOST_LINES + 5))

    assert names("find", output) == [str(n) for n in range(MOST_LINES)]
    assert (
        len(listed_paths(ROOT, output, [Listing(program="ls", here=ROOT, operands=(name,)) for name in "xy"]))
        == MOST_NAMES
    )
    assert len(names("find", "x" * 250_000 + "\n" + "y\n" * 20_000)) == 1
    assert names("find", "x" * 300_000 + "\ny\n") == []
