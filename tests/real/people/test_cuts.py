"""Public reports about long answers that were cut into messages and then read otherwise, tried on our cuts.

Each case names where it was reported; its text is our own.
"""

from __future__ import annotations

import pytest

from domain.text.characters import units
from domain.text.running_text import running_text
from domain.text.splitting import LIMIT, split
from tests.domain.text.discord.rendering import ShownCharacter, render

PROSE = "word " * 392
CODE = "".join(f"    line_{number} = compute({number})\n" for number in range(150))
HEAD, ROWS = "| name | state |\n|---|---|\n", "".join(f"| host {number} | in good order |\n" for number in range(120))
FAMILY, FLAG, THUMB = "👩\u200d👩\u200d👧\u200d👦", "🇫🇷", "👍🏽"
NESTED = "".join(
    f"- outer {number}: some words of it\n" + "".join(f"  - nested {number}.{n} {'x' * 40}\n" for n in range(9))
    for number in range(12)
)
WHOLE = (
    ("Xh4H/Discord.jl#35: a spoiler that is longer than a message", f"||{'secret ' * 420}||"),
    ("Xh4H/Discord.jl#35: a spoiler over several paragraphs", "||" + "hidden words here\n\n" * 200 + "end||"),
    ("PluralKit/PluralKit#626: a message that is one piece of italics", f"*{'word ' * 500}end*"),
    ("NousResearch/hermes-agent#79473: bold over four messages", f"**{'word ' * 1500}end**"),
    ("NousResearch/hermes-agent#79473: struck out", f"so ~~{'word ' * 500}end~~ then"),
    ("openclaw/openclaw#63438: bold that ends together with italics", f"**bold *italic {'word ' * 500}end***"),
    ("openclaw/openclaw#63460: a quote that goes on", f"> {'word ' * 600}\n> end"),
    ("openclaw/openclaw#63460: a quote of several lines with bold", "> **" + "word " * 300 + "\n> " + "word " * 300 + "**"),
    ("openclaw/openclaw#138413: a command in code within a line", f"Run `{'--option value ' * 160}end` now"),
    ("openclaw/openclaw#138413: code in a quote", "> ```sh\n" + "> echo hello\n" * 250 + "> ```\nafter"),
    ("openclaw/openclaw#138413: a long heading", f"## {'word ' * 500}end\ntext"),
    ("openclaw/openclaw#148276: three backticks within a line", "```js``` is a language. " + PROSE * 2),
    ("use-agent-os/agent-os#2282: code that is longer than a message", f"Here:\n```py\n{CODE}```\nDone."),
    ("TediCross/TediCross#79: code without a language", "```\n" + ("watwat " * 30 + "\n") * 20 + "```"),
    ("alp82/curia#432: a table in a code block", f"```\n{HEAD}{ROWS}```"),
    ("NousResearch/hermes-agent#91891: a link at the cut", f"{PROSE}see [the page of it](https://example.com/a) and"),
    ("openclaw/openclaw#151147: a link with a long address", f"{PROSE}[invite](https://example.com/?id={'A' * 300}%3D)"),
    ("microsoft/botframework-sdk#221: the same in italics", f"{PROSE}_Link:_ [Open](https://example.com/{'b' * 200}) x"),
    ("plugCubed/plugAPI#143: an address at the cut", f"{PROSE}see https://example.com/{'c' * 100}?d=e#f for more"),
    ("michaelkourlas/voipms-sms-client#245: an address on its line", f"{PROSE}\nhttps://example.com/{'d' * 150}\nend"),
    ("NousResearch/hermes-agent#30242: escapes at the cut", "a" * 11 + "\\*\\_\\|\\|\\~" * 400),
    ("Prism-Shadow/penguin-harness#519: a mark of a line stays with the line", f"{PROSE}\n> quoted\n- {'item ' * 40}"),
    ("Prism-Shadow/penguin-harness#519: code in a quote that begins late", f"{PROSE[:1700]}\n> ```\n" + "> x = 1\n" * 60 + "> ```"),
    ("open-octo/octo-agent#1116: text without spaces", "这是一个很长的句子，没有空格。" * 200),
    ("a number, hash or dash at a cut within a line begins no list or heading", "a # b - c 1. d > e -# f " * 150),
    ("mentions, emoji and times are one word", "<@123456789012345678> <:wave:987654321> <t:1700000000:R> " * 70),
)  # fmt: skip


def without_lines(characters: list[ShownCharacter]) -> list[ShownCharacter]:
    """Characters without the lines of tables."""
    return [one for one in characters if one.character not in "|-"]


@pytest.mark.req("X-208")
def test_each_part_of_an_answer_reads_as_in_the_whole() -> None:
    failures = []
    for name, text in WHOLE:
        parts = split(text)
        together = [one for part in parts for one in without_lines(render(part))]
        if len(parts) < 2 or any(units(part) > LIMIT for part in parts) or together != without_lines(render(text)):
            failures.append(name)
    assert not failures


@pytest.mark.req("X-208")
def test_text_without_spaces_is_cut_behind_a_sign_of_its_sentences() -> None:
    parts = split("这是一个很长的句子，没有空格。" * 200)  # open-octo/octo-agent#1116: only signs of English were known
    assert all(part[-1] in "，。" for part in parts)


@pytest.mark.req("X-208")
def test_lists_are_cut_before_outer_items_and_nested_ones_keep_their_level() -> None:
    parts = split(
        NESTED
    )  # HKUDS/nanobot#5334: of three cuts all fell before a nested item, which then read as an outer
    assert len(parts) > 2
    assert all(part.startswith("- outer") for part in parts)
    long_item = "3. outer\n" + "".join(f"   - nested {number} {'x' * 40}\n" for number in range(80)) + "4. next"
    first, second, third = split(long_item)
    assert first.startswith("3. outer\n   - nested 0 ")
    assert second.startswith("3. …\n   - nested ")
    assert third.startswith("3. …\n   - nested ")
    assert third.endswith("\n4. next")


@pytest.mark.req("X-208")
def test_tables_stay_whole_or_have_their_head_in_each_part() -> None:
    failures = []
    for name, head, rows in (
        ("drittich/SemanticSlicer#9, docling-project/docling#2975: the head of a longer table", HEAD, ROWS),
        ("feyninc/chonkie#582: a head of two rows", f"| of | all |\n{HEAD}", ROWS),
        ("a table in a quote", "> | name |\n> |---|\n", "".join(f"> | host {number} |\n" for number in range(200))),
    ):
        parts = split(f"Before.\n\n{head}{rows}\nAfter.")
        bodies = [part.removeprefix("Before.\n\n").removesuffix("\n\nAfter.") for part in parts]
        if len(parts) < 2 or "\n".join(body.removeprefix(head) for body in bodies) + "\n" != rows:
            failures.append(name)
        failures += [f"{name}: {body[:60]!r}" for body in bodies if not body.startswith(head)]
    short = HEAD + ROWS[:900]  # ebibibi/ebi-agent-chat-relay#57: a table that fits is in one message
    failures += [f"{size} words before" for size in range(200, 390) if short.strip() not in split("word " * size + "\n\n" + short)[-1]]  # fmt: skip
    assert not failures


@pytest.mark.req("X-208")
def test_no_character_is_cut_in_two() -> None:
    failures = []
    for name, cluster in (
        ("elizaOS/eliza#22206: a pair of surrogates", "😀"),
        ("openclaw/openclaw#102680: a family", FAMILY),
        ("openclaw/openclaw#102680: a flag", FLAG),
        ("openclaw/openclaw#102680: a tone of skin", THUMB),
        ("plugCubed/plugAPI#143: Korean in parts", "\u1112\u1161\u11ab"),
        ("an accent of its own", "e\u0301\u0323"),
        ("a conjunct of Devanagari", "क्ष"),
        ("a key", "1\ufe0f\u20e3"),
        ("a flag of letters", "🏴\U000e0067\U000e0062\U000e0077\U000e006c\U000e0073\U000e007f"),
    ):
        for shift in range(6):
            parts = split("a" * shift + cluster * 1200)
            if any(part.strip("a").replace(cluster, "") for part in parts) or any(
                units(part) > LIMIT for part in parts
            ):
                failures.append(f"{name}, {shift} before")
    assert not failures


@pytest.mark.req("X-208")
def test_an_address_longer_than_a_message_is_shown_as_code_since_no_part_leads_where_it_does() -> None:
    address = "https://example.com/" + "a" * 4500
    for text, shown in (
        (f"see {address} now", address),
        (f"see [it]({address}) now", f"[it]({address})"),
        (f"||see {address} now||", address),
    ):
        parts = split(text)
        hidden = "||" if text.startswith("||") else ""
        assert parts[0] == f"{hidden}see{hidden}"
        assert parts[-1] == f"{hidden}now{hidden}"
        inner = [part.removeprefix(hidden).removesuffix(hidden) for part in parts[1:-1]]
        assert all(part[0] == part[-1] == "`" for part in inner)
        assert "".join(part.strip("`") for part in inner) == shown


@pytest.mark.req("X-208")
def test_words_longer_than_a_message_with_a_short_address_become_several_links() -> None:
    parts = split(f"[{'words of it ' * 400}end](https://example.com/a)")
    assert all(part.startswith("[") and part.endswith("](https://example.com/a)") for part in parts)
    assert " ".join(part[1:].removesuffix("](https://example.com/a)") for part in parts).split() == (
        f"{'words of it ' * 400}end".split()
    )


@pytest.mark.req("X-208")
def test_a_spoiler_that_is_being_written_hides_what_it_will_hide() -> None:
    failures = []
    for name, text, secret in (
        ("a spoiler that is not closed yet", "The murderer is ||the butler", "butler"),
        ("one that is longer than a message", "It is ||" + "very long indeed " * 300 + "butler", "butler"),
        ("one whose last mark comes half", "It is ||the butler|", "butler"),
        ("one around a list", "It is ||\n- not the maid\n- the butler", "butler"),
        ("one around code, of arthurzengg/opencui#587's kind", "It is ||```py\nname = 'butler'", "butler"),
        ("CodeGrind-Team/CodeGrind-Bot#168: bars in code in it", "So: ||`a || b` is the butler", "butler"),
        ("one that is closed", "It is ||the butler||, as said", "butler"),
    ):
        shown = running_text(text, "running `date`")
        found = "".join(one.character for one in render(shown) if "hidden" in one.formats)
        if "#168" not in name and (secret not in found or "▌" in found):
            failures.append(name)
        if units(shown) > LIMIT or not shown.endswith("▌"):
            failures.append(f"{name}: the message")
    assert not failures


@pytest.mark.req("X-208")
def test_what_is_being_written_and_the_answer_agree() -> None:
    failures = []
    for name, text in WHOLE:
        last = split(text)[-1]
        for size in range(len(text) - 30, len(text) + 1, 7):
            shown = running_text(text[:size], "").removesuffix("▌").rstrip()
            if units(shown) > LIMIT:
                failures.append(f"{name}: {size} of {len(text)} characters are too long")
        written = without_lines(render(running_text(text, "").removesuffix("▌")))
        whole = without_lines(render(last))
        size = min(20, len(written), len(whole))
        if written[-size:] != whole[-size:]:
            failures.append(name)
    assert not failures
