from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.workspace.skills.path_pattern import (
    DEEPEST_PATH,
    LONGEST_PATTERN,
    MOST_PATHS,
    fault_of_pattern,
    matcher,
    mentioned_paths,
)


def test_a_pattern_fits_what_it_leads_to_and_all_that_lies_below(subtests: pytest.Subtests) -> None:
    for pattern, path, fits in [
        ("*.md", "docs/guide.md", True),
        ("*.md", "guide.md/notes.txt", True),
        ("*.md", "guide.mdx", False),
        ("docs", "a/docs/x", True),
        ("docs/", "docs/x", True),
        ("docs", "mydocs/x", False),
        ("src/api", "project/src/api/x.py", True),
        ("src/api/**", "project/src/api/x.py", True),
        ("src/*.py", "src/a/b.py", False),
        ("src/**/*.py", "src/a/b.py", True),
        ("src/**/*.py", "src/b.py", True),
        ("./src/x.py", "src/x.py", True),
        ("/abs/x", "/abs/x/y", True),
        ("/abs/x", "abs/x", False),
        ("~/notes", "~/notes/a.md", True),
        ("app/[id]/page.tsx", "app/[id]/page.tsx", True),
        ("a?c", "x/abc", True),
        ("a?c", "x/a/c", False),
        ("*a*b*c", "zzazbzc", True),
        ("*a*b*c", "zzazbz", False),
        ("报告/*.md", "报告/第一章.md", True),
    ]:
        with subtests.test(pattern=pattern, path=path):
            assert fault_of_pattern(pattern) == ""
            assert bool(matcher((pattern,)).search(path)) is fits


def test_no_pattern_fits_nothing_and_one_of_many_is_enough() -> None:
    paths = "README.md\nsrc/x.py"

    assert matcher(()).search(paths) is None
    assert matcher(("nowhere", "src/**")).search(paths)


def test_a_pattern_that_cannot_be_used_names_the_rule(subtests: pytest.Subtests) -> None:
    for pattern, rule in [
        ("", "must be a path or pattern of 1 to 200 characters"),
        ("x" * (LONGEST_PATTERN + 1), "must be a path or pattern of 1 to 200 characters"),
        ("a\nb", "must be a path or pattern of 1 to 200 characters"),
        ("../secret", "must not hold `..`"),
        ("**/a/**/b/**/c/**/d", "must not hold `**` more than 3 times"),
        ("**/*", "must not fit every file"),
        ("*.*", "must not fit every file"),
    ]:
        with subtests.test(pattern=pattern, rule=rule):
            assert fault_of_pattern(pattern) == rule


def test_patterns_made_to_take_long_do_not() -> None:
    deep = "\n".join(["a/b/" * 9 + "x"] * MOST_PATHS)
    long = "\n".join(["a" * 300] * MOST_PATHS)

    assert matcher(("**/a/**/b/**/c",)).search(deep) is None
    assert matcher(("*a" * 90 + "b",)).search(long) is None


def test_paths_in_a_text_are_words_with_a_slash_or_an_ending_or_in_backquotes() -> None:
    text = (
        "Look at ./src/api/main.py:12 and `Dockerfile` (in docs/guide.md). Then https://example.org/z.html, "
        'README.md! "C:\\foo\\bar.txt" ../up/x. 看 报告/第一章.md，version 1.2 of `make all`.'
    )

    assert mentioned_paths(text) == (
        "Dockerfile",
        "src/api/main.py",
        "docs/guide.md",
        "README.md",
        "/foo/bar.txt",
        "up/x",
        "报告/第一章.md",
    )


def test_a_text_full_of_paths_gives_so_many_and_none_that_is_too_deep() -> None:
    many = " ".join(f"a/{number}" for number in range(MOST_PATHS + 10))

    assert len(mentioned_paths(many)) == MOST_PATHS
    assert mentioned_paths("a/" * DEEPEST_PATH + "x") == ()


@given(st.text(alphabet="ab/.*?`\\ :~[]", max_size=60))
def test_any_text_is_read_and_what_is_found_is_a_single_line(text: str) -> None:
    for path in mentioned_paths(text):
        assert "\n" not in path
        assert "//" not in path


@given(st.lists(st.sampled_from(["a", "b", "ab"]), min_size=1, max_size=6))
def test_a_path_fits_itself_and_each_of_its_ends(parts: list[str]) -> None:
    path = "/".join(parts)

    assert matcher((path,)).search(path)
    assert matcher((f"{parts[-1]}",)).search(path)
    assert matcher((f"{parts[0]}/**",)).search(f"{path}/x")
