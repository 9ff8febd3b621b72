from __future__ import annotations

from datetime import date

import pytest

from domain.workspace.recall.entries import LONGEST, Entry, Source, entries, last_day


def memory(text: str) -> tuple[Entry, ...]:
    return entries(text, Source.MEMORY, "MEMORY.md")


def test_an_entry_is_a_bullet_or_a_paragraph_on_one_line_with_its_place() -> None:
    text = "# Notes\nA paragraph\nof two lines.\n\n- one <!-- m:1a -->\n  and more\n- two\n"
    assert memory(text) == (
        Entry(Source.MEMORY, "MEMORY.md", "Notes", "A paragraph of two lines.", 2),
        Entry(Source.MEMORY, "MEMORY.md", "Notes", "one and more", 5),
        Entry(Source.MEMORY, "MEMORY.md", "Notes", "two", 7),
    )


def test_code_belongs_to_what_it_stands_below_and_a_box_is_no_word() -> None:
    text = "# A\n- deploy:\n  ```sh\n  make *x* 1. y\n\n  - no bullet\n  ```\n- [x] done\n\nrun:\n\n```\nls\n```\n```\npwd\n```\n"
    assert [(entry.text, entry.line) for entry in memory(text)] == [
        ("deploy: make *x* 1. y; - no bullet", 2),
        ("done", 8),
        ("run: ls; pwd", 10),
    ]
    assert [(entry.text, entry.line) for entry in memory("```\nls\n```\nx\n")] == [("ls", 1), ("x", 4)]


def test_a_mark_that_nothing_ends_hides_nothing() -> None:
    assert [entry.text for entry in memory("- a\n```\n## B\n- c <!-- d\n- e\n")] == ["a ```", "c <!-- d", "e"]


def test_a_heading_without_words_is_no_place() -> None:
    assert [(entry.section, entry.text) for entry in memory("#\na\n## B\n###\nb\n")] == [("", "a"), ("B", "b")]


def test_a_template_has_no_entries() -> None:
    assert memory("# Current State\n<!-- What is being done.\n- one item -->\n\n# Next Steps\n") == ()


def test_the_section_is_the_nearest_of_one_or_two_hashes_and_the_nearest_deeper_one() -> None:
    text = "# A\n## B\n### C\none\n#### D\ntwo\n## E\nthree\n# F\nfour\n"
    assert [entry.section for entry in memory(text)] == ["B / C", "B / D", "E", "F"]
    assert [entry.section for entry in memory("one\n### A\ntwo\n")] == ["", "A"]


def test_a_heading_says_when_what_is_below_it_was_written(subtests: pytest.Subtests) -> None:
    for heading, day in [
        ("Update 2026-05-01T10:00:00Z", date(2026, 5, 1)),
        ("2026-05-01T10:00:00Z to 2026-05-20T10:00:00Z", date(2026, 5, 20)),
        ("2026-05-01", date(2026, 5, 1)),
        ("Folded History Through 2026-05-01T00:00:00Z to 2026-05-20T00:00:00Z", date(2026, 5, 20)),
        ("2026-05-01 to 2026-13-40", date(2026, 5, 1)),
        ("Preferences", None),
        ("Order 12026-05-011", None),
    ]:
        with subtests.test(heading=heading, day=day):
            assert last_day(heading) == day
            assert [entry.day for entry in memory(f"## {heading}\n- one\n### deeper\n- two\n## Other\n- three\n")] == [
                day,
                day,
                None,
            ]


def test_an_entry_that_begins_with_its_day_says_it_itself() -> None:
    first, second = memory("## Update 2026-05-01\n- 2026-04-02: moved\n- we moved before 2026-04-02\n")
    assert (first.day, second.day) == (date(2026, 4, 2), date(2026, 5, 1))


def test_a_long_paragraph_is_several_entries_of_whole_sentences() -> None:
    sentences = [f"Sentence number {number} says what happened on that day." for number in range(20)]
    parts = memory(f"## 2026-05-01\n{' '.join(sentences)}\n")
    assert len(parts) > 2
    assert " ".join(part.text for part in parts) == " ".join(sentences)
    assert all(len(part.text) <= 300 and part.text.endswith(".") and part.line == 2 for part in parts)
    assert all(part.day == date(2026, 5, 1) for part in parts)


def test_a_long_paragraph_of_a_script_without_blanks_is_parted_too() -> None:
    [first, *rest] = memory("我们搬到了城南的旧楼里面。" * 60)
    assert first.text.endswith("。")
    assert len(rest) > 1


def test_what_has_no_sentences_stays_whole() -> None:
    text = "word " * LONGEST
    assert [entry.text for entry in memory(text)] == [text.strip()]


def test_a_text_of_the_bound_is_whole_and_sentences_fill_a_part_to_its_bound() -> None:
    assert len(memory("Word. " * (LONGEST // 6) + "end.")) == 1
    first, second = memory(f"{'a' * 149}. {'b' * 148}. {'c' * 200}.")
    assert (len(first.text), second.text) == (300, f"{'c' * 200}.")
    assert len(memory(f"{'a' * 149}. {'b' * 149}. {'c' * 200}.")) == 3
