from __future__ import annotations

import string

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from domain.curated.page import Scope
from domain.curated.refusal import (
    LONGEST_FACT,
    LONGEST_SECTION,
    LONGEST_TITLE,
    flaw_of_fact,
    flaw_of_section,
    flaw_of_title,
    flaw_of_topic,
)
from domain.text.lines import one_line
from domain.text.markdown.lines import heading_words
from domain.text.secret_look import looks_secret
from tests.domain.curated.sentences import ORDINARY, SECRETS
from tests.pace import paced_s

ANYWHERE = st.sampled_from(Scope)
_PIECES = (
    *("a", "A1b", "- ", " ", "\n", "token ", "token for ", "token is ", "token:", "password for a ", "pin ", "api "),
    *(
        "--token ",
        "--a-",
        "eyJ-",
        "eyJaaaaaaaa.",
        "sk-",
        "sk-a",
        "BSA-",
        "://",
        "://a:",
        ":",
        "?key=",
        "?a_",
        "?a_a_key=",
    ),
    *(
        "-----BEGIN A",
        "Bearer a",
        "xoxb-",
        "SG.aaaaaaaaaaaaaaaa.",
        "x" * 25 + ".",
        "1:",
        "sha256:",
        "ssh-a ",
        "${",
        "a/",
    ),
    *("'", "Authorization: Basic ", "hooks.slack.com/services/a", "discord.com/api/webhooks/", "=", "\u0301\u0316"),
)


@pytest.mark.req("X-132")
def test_what_looks_like_a_secret_is_refused_for_a_project_and_its_words_are_not_repeated(
    subtests: pytest.Subtests,
) -> None:
    for text in SECRETS:
        with subtests.test(text=text):
            flaw = flaw_of_fact(one_line(text), Scope.PROJECT)

            assert "looks like a secret" in flaw
            assert text not in flaw
            assert flaw_of_section(one_line(text)[:LONGEST_SECTION], Scope.PROJECT) or len(text) > LONGEST_SECTION


def test_a_secret_is_seen_among_other_words_and_in_the_midst_of_lines(subtests: pytest.Subtests) -> None:
    for text in SECRETS:
        with subtests.test(text=text):
            assert looks_secret(f"Deploys run at night, and {text}")
            assert looks_secret(f"- {text}\n- something else")


def test_ordinary_sentences_of_engineers_are_no_secrets(subtests: pytest.Subtests) -> None:
    for text in ORDINARY:
        with subtests.test(text=text):
            assert flaw_of_fact(one_line(text), Scope.PROJECT) == ""


def test_there_are_many_sentences_of_both_kinds() -> None:
    assert len(set(SECRETS)) >= 80
    assert len(set(ORDINARY)) >= 100


@given(
    st.sampled_from(
        ["password: {}", "PASSWORD={}", "the password is {}", "token = '{}'", 'api_key: "{}"', "--token {}"]
    ),
    st.text(st.sampled_from(string.ascii_letters + string.digits + "!#%+-"), min_size=8, max_size=30),
)
def test_whatever_is_named_as_a_secret_with_letters_and_digits_is_one(sentence: str, value: str) -> None:
    assume(value[0].isalnum() and any(map(str.isdigit, value)) and any(map(str.isalpha, value[1:])))
    assume(value.strip(string.digits + "kKmMsh%"))

    assert looks_secret(sentence.format(value))


@given(
    st.sampled_from(["the {} is {}", "{}s are {} daily", "{}: {} before each release"]),
    st.sampled_from(["password", "token", "secret", "API key", "private key"]),
    st.text(st.sampled_from(string.ascii_lowercase), min_size=1, max_size=20),
)
def test_a_sentence_about_secrets_is_none(sentence: str, name: str, word: str) -> None:
    assert not looks_secret(sentence.format(name, word))


@given(st.text(st.sampled_from("0123456789abcdef"), min_size=40, max_size=40), st.uuids())
def test_commits_and_uuids_are_no_secrets(commit: str, name: object) -> None:
    assert not looks_secret(f"see {commit} and {name}, in work/{name}/out")


@given(st.text(st.sampled_from(string.ascii_letters + string.digits), min_size=32, max_size=32))
def test_a_long_run_of_changing_kinds_is_like_a_key(run: str) -> None:
    assert looks_secret("".join(f"{letter}{'xQ7'[n % 3]}" for n, letter in enumerate(run)))


def test_a_very_long_text_is_looked_at_at_once(subtests: pytest.Subtests) -> None:
    for piece in _PIECES:
        with subtests.test(piece=piece):
            text = piece * (33_000 // len(piece))

            def look(text: str = text) -> None:
                for before, after in (("", ""), ("token ", "@"), ("?a", "1"), ("sk-", " is")):
                    looks_secret(before + text + after)

            assert paced_s(look, enough_s=1.0) < 1.0


@given(st.text())
def test_one_line_is_one_line_without_a_bullet_and_stays_so(text: str) -> None:
    line = one_line(text)

    assert line == one_line(line)
    assert len(line.splitlines()) <= 1
    assert line == line.strip()
    assert not line.startswith(("- ", "* ", "+ "))


def test_blanks_and_bullets_are_left_out(subtests: pytest.Subtests) -> None:
    for text, line in [
        (" a\n\tb ", "a b"),
        ("- a", "a"),
        ("- * + a", "a"),
        ("-", ""),
        ("- -", ""),
        ("-a", "-a"),
        ("", ""),
    ]:
        with subtests.test(text=text):
            assert one_line(text) == line


@given(ANYWHERE)
@pytest.mark.req("X-132")
def test_an_empty_and_an_over_long_fact_are_refused(scope: Scope) -> None:
    assert "empty" in flaw_of_fact("", scope)
    assert "no words" in flaw_of_fact(one_line("--- - **"), scope)
    assert "501 characters" in flaw_of_fact("x" * (LONGEST_FACT + 1), scope)
    assert flaw_of_fact("x " * (LONGEST_FACT // 2), scope) == ""


@given(
    ANYWHERE,
    st.sampled_from("\0\x07\x0b\x1b\x7f\x85\x9f\ud800\u200b\u200e\u202e\u2028\u2066\ufeff\U000e0041"),
    st.sampled_from([flaw_of_fact, flaw_of_section, flaw_of_title]),
)
def test_what_nobody_sees_is_refused_everywhere(scope: Scope, unseen: str, flaw: object) -> None:
    assert callable(flaw)
    assert "invisible characters" in flaw(f"a{unseen}b", scope)
    assert flaw("a b é 构建 😀", scope) == ""


@pytest.mark.parametrize("text", ["a <!-- b", "a --> b", "a <!-- confirmed 2026-01-02 -->"])
def test_a_mark_of_a_comment_is_refused(text: str) -> None:
    assert "comment" in flaw_of_fact(text, Scope.GLOBAL)
    assert "comment" in flaw_of_section(text, Scope.GLOBAL)


def test_global_memory_may_hold_what_looks_like_a_secret(subtests: pytest.Subtests) -> None:
    for text in SECRETS[:5]:
        with subtests.test(text=text):
            assert flaw_of_fact(text, Scope.GLOBAL) == ""


@given(st.text(max_size=LONGEST_SECTION + 2))
def test_a_heading_that_may_be_written_is_read_again_with_the_same_words(text: str) -> None:
    section = one_line(text)
    if not flaw_of_section(section, Scope.GLOBAL):
        assert heading_words(f"## {section}") == section


def test_a_heading_is_short_words_without_signs_or_secrets(subtests: pytest.Subtests) -> None:
    for section in ["# A", "#", "A #", "A ##", "x" * (LONGEST_SECTION + 1), "password: hunter2"]:
        with subtests.test(section=section):
            assert flaw_of_section(section, Scope.PROJECT)
            assert flaw_of_section("C#", Scope.PROJECT) == flaw_of_section("", Scope.PROJECT) == ""


def test_a_title_is_short_words_without_brackets_or_secrets(subtests: pytest.Subtests) -> None:
    for title in ["", "a]b", "a[b", "a(b", "a)b", "x" * (LONGEST_TITLE + 1), "password: hunter2"]:
        with subtests.test(title=title):
            assert flaw_of_title(title, Scope.PROJECT)
            assert flaw_of_title("Build quirks", Scope.PROJECT) == ""


def test_a_topic_file_has_a_plain_name(subtests: pytest.Subtests) -> None:
    for name in ["build.md", "a_b-c.md", "7.md", "x" * 64 + ".md"]:
        with subtests.test(name=name):
            assert flaw_of_topic(name) == ""


@pytest.mark.parametrize(
    "name",
    [
        *(
            "",
            ".md",
            "Build.md",
            "build.txt",
            "../build.md",
            "a/b.md",
            "-a.md",
            ".a.md",
            "x" * 65 + ".md",
            "build.md\n",
        ),
        *("memory.md", "agents.md", "claude.md", "readme.md", "skill.md", "MEMORY.md", "a b.md", "é.md", "a.md.md"),
    ],
)
@pytest.mark.req("S1-07")
def test_a_topic_file_is_never_one_that_programs_read_or_another_folders(name: str) -> None:
    assert flaw_of_topic(name)
