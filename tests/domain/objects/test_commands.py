from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.objects.commands import LONGEST, LOOKED_AT, Redirection, Word, parse_command


def names_in(text: str) -> list[tuple[str, list[str]]]:
    """Steps as what stands before each, and its words and redirections."""
    return [
        (
            step.before,
            [f"{part[0]} {part[1].text}" if isinstance(part, Redirection) else part.text for part in step.parts],
        )
        for step in parse_command(text).steps
    ]


def words(text: str) -> list[Word]:
    return [word for step in parse_command(text).steps for word in step.words]


def test_a_command_is_cut_as_a_shell_cuts_it(subtests: pytest.Subtests) -> None:
    cases: list[tuple[str, list[tuple[str, list[str]]]]] = [
        ("cat a b", [("", ["cat", "a", "b"])]),
        ("  cat\ta \n", [("", ["cat", "a"])]),
        (
            "a && b || c; d | e & f\ng",
            [("", ["a"]), ("&&", ["b"]), ("||", ["c"]), (";", ["d"]), ("|", ["e"]), ("&", ["f"]), ("\n", ["g"])],
        ),
        ("a;;b", [("", ["a"]), (";;", ["b"])]),
        ("(a; (b)) && c", [("(", ["a"]), (";(", ["b"]), ("))&&", ["c"])]),
        ("a|&b", [("", ["a"]), ("|&", ["b"])]),
        ("cat \\\n  a\\\nb", [("", ["cat", "ab"])]),
        ("cat a # b; c\nd", [("", ["cat", "a"]), ("\n", ["d"])]),
        ("cat a#b", [("", ["cat", "a#b"])]),
        ("cat 'a b' \"c d\" e\\ f $'g' 'h'i\"j\"", [("", ["cat", "a b", "c d", "e f", "g", "hij"])]),
        ("cat '' \"\"", [("", ["cat", "", ""])]),
        ('cat "a\\"b\\\\c\\d"', [("", ["cat", 'a"b\\c\\d'])]),
        ("a >b 2>c >>d <e &>f >|g <>h", [("", ["a", "> b", "> c", ">> d", "< e", "&> f", ">| g", "<> h"])]),
        ("a>b", [("", ["a", "> b"])]),
        ("a2>b", [("", ["a2", "> b"])]),
        ("a 2>&1 <&-", [("", ["a", ">& 1", "<& -"])]),
        ("a > 'b c' d", [("", ["a", "> b c", "d"])]),
        ("a >; b", [("", ["a"]), (";", ["b"])]),
        ("a <<<b c", [("", ["a", "<<< b", "c"])]),
        ("diff <(a b) >(c) d", [("", ["diff"]), ("<(", ["a", "b"]), (")>(", ["c"]), (")", ["d"])]),
        ("cat <<E >f\nx y\n E\nE\nb", [("", ["cat", "<< E", "> f"]), ("\n", ["b"])]),
        ("cat <<'E F'\nx\nE F\nb", [("", ["cat", "<< E F"]), ("\n", ["b"])]),
        ("cat <<E\nEx\nE\nb", [("", ["cat", "<< E"]), ("\n", ["b"])]),
        ("cat <<-E\n\tx\n\tE\n\tb <<-F\n\t\tF\nc", [("", ["cat", "<<- E"]), ("\n", ["b", "<<- F"]), ("\n", ["c"])]),
        ("a <<E; b <<F\nx\nE\ny\nF\nc", [("", ["a", "<< E"]), (";", ["b", "<< F"]), ("\n", ["c"])]),
        ("cat <<E\nE", [("", ["cat", "<< E"])]),
        ("cat {a,b}.{c,d} x{1}y", [("", ["cat", "a.c", "a.d", "b.c", "b.d", "x{1}y"])]),
        ("cat '{a,b}'", [("", ["cat", "{a,b}"])]),
        ("a $(b; c 'd)' $(e)) f", [("", ["a", "", "f"])]),
        ("a `b; c` d", [("", ["a", "", "d"])]),
        ("a ${b:-c d} e", [("", ["a", "", "e"])]),
        ("a $((1 + (2))) e", [("", ["a", "", "e"])]),
        ("", []),
        (";;&&", []),
    ]
    for text, steps in cases:
        with subtests.test(text=text, steps=steps):
            assert names_in(text) == steps
            assert parse_command(text).is_whole


def test_what_only_a_shell_knows_is_unknown(subtests: pytest.Subtests) -> None:
    cases: list[str] = [
        "$a",
        "${a}",
        "$(a)",
        "`a`",
        "a$b",
        '"$a"',
        '"`a`"',
        '"a\\\\$b"',
        "~",
        "~/a",
        "$'\\n'",
        "$1",
        "$@",
    ]
    for word in cases:
        with subtests.test(word=word):
            assert [each.is_known for each in words(f"cat {word} b")] == [True, False, True]


def test_what_is_quoted_stands_for_itself(subtests: pytest.Subtests) -> None:
    cases: list[str] = ["'$a'", "'a\\b'", "$'a'", "\\$a", '"\\$a"', "a~", "'~'", "a$", "'`'"]
    for word in cases:
        with subtests.test(word=word):
            assert [each.is_known for each in words(f"cat {word} b")] == [True, True, True]


def test_only_what_is_not_quoted_is_a_pattern(subtests: pytest.Subtests) -> None:
    cases: list[tuple[str, str]] = [
        ("*.py", "*.py"),
        ("a?", "a?"),
        ("[ab]", "[ab]"),
        ("'a*'/*", "a[*]/*"),
        ('"[x]"*', "[[]x]*"),
        ("\\*?", "[*]?"),
        ("{a,b}*", "a*"),
        ("'*'", ""),
        ("\\*", ""),
        ('"a?"', ""),
        ("a", ""),
    ]
    for word, pattern in cases:
        with subtests.test(word=word, pattern=pattern):
            assert words(f"cat {word}")[1].pattern == pattern


def test_a_command_that_has_no_end_is_not_whole(subtests: pytest.Subtests) -> None:
    cases: list[str] = [
        "cat 'a",
        'cat "a',
        "cat `a",
        "cat $(a",
        "cat ${a",
        "cat a\\",
        "cat <<E\nx",
        "cat <<E",
        "a " * 5_000,
        " " * (LOOKED_AT + 1),
    ]
    for text in cases:
        with subtests.test(text=text):
            assert not parse_command(text).is_whole


def test_what_follows_the_last_step_is_told() -> None:
    assert [parse_command(text).after for text in ("a", "a;", "a &\n", "(a)", "")] == ["", ";", "&\n", ")", ""]


@given(st.text("ab '\"\\$`;&|()<>{},*#~\n\t=-", max_size=60) | st.text(max_size=60))
def test_any_text_has_steps_that_have_something(text: str) -> None:
    command = parse_command(text)

    assert command == parse_command(text)
    assert all(step.parts for step in command.steps)


def test_a_quote_without_an_end_is_passed_over() -> None:
    assert names_in("cat 'a b") == [("", ["cat", "a", "b"])]


def test_here_documents_are_passed_over_however_long_they_are() -> None:
    command = "cat > a <<'E'\n" + "words ' \"\n" * 5_000 + "E\ncat b"

    assert names_in(command) == [("", ["cat", "> a", "<< E"]), ("\n", ["cat", "b"])]
    assert parse_command(command).is_whole
    assert not parse_command(command + " " * (LOOKED_AT + 1)).is_whole
    assert not parse_command("cat <<E\n" + "x" * LONGEST + "\nE\n").is_whole
