from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.memory.block_json import block_json
from domain.workspace.files.history_file import (
    FOLD_CHARS,
    FOLDED_CHARS,
    HISTORY_TEMPLATE,
    NEWEST,
    appended_block,
    archive_blocks,
    fold_blocks,
    fold_is_due,
    folding,
    history_text,
)
from domain.workspace.files.outline import sections
from tests.domain.workspace.spoken import AT
from tests.pace import paced_s

HOUR = timedelta(hours=1)
SUMMARY = "- The boat was bought, mended and painted blue in three weeks; Kim lent the money."


def with_blocks(count: int, data: bytes = b"", *, chars: int = 200) -> bytes:
    for number in range(count):
        at = AT + number * HOUR
        data = appended_block(data, f"- {number} " + "so " * (chars // 3), at, at + HOUR, f"s{number}")
    return data


def titles(data: bytes) -> list[str]:
    return [part.title for part in sections(data, 2) if part.title]


@pytest.mark.req("S4-30", "S4-37", "S4-62", "S4-89", "S4-155", "S4-158", "S4-164")
def test_a_block_has_its_period_and_its_mark() -> None:
    new_data = appended_block(b"", "- bought a boat\n  - a blue one  \n", AT, AT + HOUR, "s1").decode()

    head, _, block = new_data.partition("## ")
    assert head.encode().strip() == HISTORY_TEMPLATE.strip()
    lines = block.splitlines()
    assert lines[:3] == ["2026-11-22T16:20:00Z to 2026-11-22T17:20:00Z", "- bought a boat", "  - a blue one"]
    assert lines[3].startswith("<!-- m:")
    assert len(lines) == 4


def test_a_stretch_has_one_block_whatever_a_second_answer_says() -> None:
    once = appended_block(b"# History", "one", AT, AT, "s1")

    assert once.startswith(b"# History\n\n## 2026")
    assert appended_block(once, "other words", AT, AT, "s1") == once
    assert appended_block(once, "one", AT, AT, "s2").startswith(once)


def test_a_block_without_words_is_refused() -> None:
    with pytest.raises(ValueError, match="must have words"):
        appended_block(b"", " \n", AT, AT, "s")


def test_a_fold_is_due_after_five_blocks_or_eight_thousand_characters_but_never_of_the_newest_three() -> None:
    assert not fold_is_due(with_blocks(4))
    assert fold_is_due(with_blocks(5))
    assert fold_is_due(with_blocks(4, chars=2_000))
    assert not fold_is_due(with_blocks(NEWEST, chars=6_000))
    assert not fold_is_due(fold_blocks(with_blocks(5), SUMMARY, with_blocks(5)) + b"x" * 8_000)


@pytest.mark.req("S4-156", "S4-181", "S4-165")
def test_all_but_the_newest_three_become_one_block() -> None:
    base = with_blocks(5, b"# History\n\n## Mine\nown words\n")
    raw, prompt_text = folding(base)

    new_data = fold_blocks(base, f"## Summary\n{SUMMARY}", base)

    old, newest = titles(base)[2:4], titles(base)[4:]
    assert titles(new_data) == ["History", "Mine", "Folded History Through 2026-11-22T18:20:00Z", *newest]
    assert SUMMARY in new_data.decode()
    assert new_data.startswith(b"# History\n\n## Mine\nown words\n\n## Folded")
    assert [part.title for part in sections(raw, 2) if part.title] == old
    assert raw in base
    assert all(f"## {title}\n" in prompt_text for title in old)
    assert "<!--" not in prompt_text


def test_what_was_folded_is_not_written_again() -> None:
    base = with_blocks(5)

    new_data = fold_blocks(base, SUMMARY, base)

    assert with_blocks(5, new_data) == new_data


def test_what_was_folded_before_is_folded_again_with_what_came_since() -> None:
    once = fold_blocks(with_blocks(5), SUMMARY, with_blocks(5))
    base = once
    for number in range(5, 8):
        base = appended_block(
            base, f"- {number} " + "so " * 60, AT + number * HOUR, AT + (number + 1) * HOUR, f"s{number}"
        )

    new_data = fold_blocks(base, SUMMARY + " " + "More. " * 8, base)

    assert len(titles(new_data)) == 1 + 1 + NEWEST
    assert titles(new_data)[1] == "Folded History Through 2026-11-22T21:20:00Z"
    assert with_blocks(8, new_data) == new_data


def test_what_others_wrote_meanwhile_stays() -> None:
    base = with_blocks(5)
    now = appended_block(base, "- new", AT + 9 * HOUR, AT + 9 * HOUR, "s9") + b"\n## Mine\nown words\n"

    new_data = fold_blocks(base, SUMMARY, now)

    assert new_data.endswith(now[now.index(b"- new") :])
    assert titles(new_data)[-2:] == titles(now)[-2:]


def test_a_fold_that_may_not_be_written_is_refused(subtests: pytest.Subtests) -> None:
    for answer, rule in [
        ("", "must have words"),
        ("- so", "must have 8% to 80% of"),
        ("- so it was " * 60, "must have 8% to 80% of"),
        (f"{SUMMARY}\n## Decisions\n- x", "must have no markup"),
        (f"{SUMMARY} <br> <b>x</b>", "must have no markup"),
        (f"{SUMMARY}\nINJECTED_CONTEXT_X", "what the runtime adds"),
        (f"{SUMMARY}\n[2026-11-22 16:20 UTC] Ann: hello", "what the runtime adds"),
        (f"{SUMMARY} password: hunter2x9", "must hold no secret"),
    ]:
        with subtests.test(answer=answer, rule=rule):
            base = with_blocks(5)

            with pytest.raises(ValueError, match=rule):
                fold_blocks(base, answer, base)


def test_a_fold_of_blocks_that_have_changed_since_is_refused() -> None:
    base = with_blocks(5)

    with pytest.raises(ValueError, match="has changed since"):
        fold_blocks(base, SUMMARY, base.replace(b"- 0 so", b"- 0 sooo"))
    with pytest.raises(ValueError, match="more than 3 to fold"):
        fold_blocks(with_blocks(3), SUMMARY, with_blocks(3))


def test_of_a_long_history_only_as_much_is_folded_as_a_worker_is_told() -> None:
    base = with_blocks(40, chars=1_500)
    raw, prompt_text = folding(base)

    new_data = fold_blocks(base, SUMMARY * 30, base)

    assert FOLDED_CHARS - 2_000 < len(raw) <= FOLDED_CHARS
    assert len(prompt_text) <= FOLDED_CHARS
    assert fold_is_due(new_data)
    assert len(titles(new_data)) == len(titles(base)) - raw.count(b"## ") + 1


def test_the_archive_has_each_block_once() -> None:
    raw, _ = folding(with_blocks(6))

    once = archive_blocks(b"# Archive\n", raw)

    assert archive_blocks(once, raw) == once
    assert titles(once) == ["Archive", *titles(raw)]
    assert archive_blocks(once, b"") == once
    assert archive_blocks(b"", raw).strip() == raw.strip()


@pytest.mark.req("S4-151")
@given(st.lists(st.sampled_from(["a", "b", "  - c", "", "d e"]), min_size=1, max_size=4), st.integers(0, 8))
def test_what_stood_there_is_a_prefix_and_every_block_is_there_once(lines: list[str], count: int) -> None:
    data = with_blocks(count, HISTORY_TEMPLATE)
    if not "".join(lines).strip():
        return

    new_data = appended_block(data, "\n".join(lines), AT, AT, "last")

    assert new_data.startswith(data)
    assert len(titles(new_data)) == len(titles(data)) + 1
    assert appended_block(new_data, "\n".join(lines), AT, AT, "last") == new_data


def test_text_of_a_history_has_plain_lines_and_bullets() -> None:
    assert history_text("  \nIt   was so.\n\n- one \n  - two\n") == "It was so.\n- one\n  - two"


def test_a_fold_is_due_at_eight_thousand_characters_exactly() -> None:
    data = with_blocks(4)

    assert not fold_is_due(data + b"x" * (FOLD_CHARS - 1 - len(data)))
    assert fold_is_due(data + b"x" * (FOLD_CHARS - len(data)))


def test_the_archive_has_each_block_once_whatever_its_lines_end_with(subtests: pytest.Subtests) -> None:
    for end in [b"\n", b"\r\n"]:
        with subtests.test(end=end):
            raw, _ = folding(with_blocks(6).replace(b"\n", end))

            once = archive_blocks(b"# Archive\n", raw)

            assert archive_blocks(once, raw) == once
            assert titles(once) == ["Archive", *titles(raw)]
            assert once.count(b"\r") == 0
            assert archive_blocks(b"# Archive\r\n", raw).count(b"\r\n") == archive_blocks(b"# Archive\r\n", raw).count(
                b"\n"
            )


def test_the_archive_has_blocks_as_they_were() -> None:
    raw = "## 2026-01-01T00:00Z\na\u2028## b\x0cc\x85d\re\n\n\n".encode()

    assert archive_blocks(b"", raw) == raw.rstrip(b"\n") + b"\n"


def test_a_block_that_no_worker_can_be_told_stays_and_the_others_are_folded() -> None:
    giant = b"## 2026-01-01T00:00Z\n" + b"<" * (FOLDED_CHARS // 4) + b"\n"
    base = with_blocks(6, HISTORY_TEMPLATE + b"\n" + giant)

    raw, prompt_text = folding(base)

    assert giant not in raw
    assert len(titles(raw)) == 3
    assert len(block_json(prompt_text)) <= FOLDED_CHARS
    assert giant in fold_blocks(base, SUMMARY, base)
    assert not fold_is_due(HISTORY_TEMPLATE + giant * 2 + with_blocks(3))


def test_ten_thousand_headings_cost_less_than_a_second() -> None:
    data = b"".join(b"## 2026-01-01T00:%02d:%02dZ\nx\n" % (number // 60 % 60, number % 60) for number in range(4_900))

    def folds() -> None:
        assert fold_is_due(data)
        assert archive_blocks(b"", folding(data)[0])

    assert paced_s(folds) < 1.5
