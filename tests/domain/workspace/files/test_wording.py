from __future__ import annotations

import pytest

from domain.workspace.files.wording import same_words, title_key, unique


def test_the_same_words_are_the_same_whatever_their_signs() -> None:
    assert same_words("No deploys, on Friday!") == same_words("no deploys on friday")
    assert same_words("…") != same_words("!")
    assert unique(["A b", "a, b.", "c"], ["C!"]) == ["A b"]


def test_case_quotes_emphasis_and_the_ends_of_sentences_make_no_other_words(subtests: pytest.Subtests) -> None:
    for one, other in [
        *(("Never use C++.", "never use  c++"), ("**Never** push", "never push"), ('Say "yes"', "say yes")),
        *(("pay at once (cash)", "pay at once cash"), ("a \u2013 b", "a b"), ("run `make`!", "Run make")),
        *(("\u4e0d\u8981\u6539\u3002", "\u4e0d\u8981\u6539"), ("It is *not* done", "it is not done;"), ("5.", "5")),
    ]:
        with subtests.test(one=one, other=other):
            assert same_words(one) == same_words(other)


def test_signs_of_words_and_numbers_make_other_words(subtests: pytest.Subtests) -> None:
    for one, other in [
        *(("use C++", "use C#"), ("use C++", "use C"), ("above -5", "above 5"), ("+3 hours", "-3 hours")),
        *(
            ("\u2265 5", "\u2264 5"),
            ("a > b", "a < b"),
            ("tip is 10%", "tip is 10 \u20ac"),
            ("$5", "5"),
            ("a != b", "a = b"),
        ),
        *(
            ("/etc/x", "etc-x"),
            (".env", "env"),
            ("__init__.py", "init.py"),
            ("x/y", "x.y"),
            ("#1", "1"),
            ("2^3", "2 3"),
        ),
        *(("\u5173\u95e8\u2265" + "22", "\u5173\u95e8\u2264" + "22"), ("5 \u00b0C", "5 C"), ("@kim", "kim")),
    ]:
        with subtests.test(one=one, other=other):
            assert same_words(one) != same_words(other)
            assert unique([one, other]) == [one, other]


def test_a_title_is_the_same_with_a_colon_in_bold_and_in_any_case() -> None:
    assert title_key("**Next  steps:**") == title_key("Next Steps")


@pytest.mark.req("X-206")
def test_letters_with_accents_of_their_own_make_no_other_words() -> None:
    assert title_key("Cafe\u0301") == title_key("CAF\u00c9")
    assert same_words("ask Rene\u0301") == same_words("Ask Ren\u00e9")


def test_characters_that_nobody_sees_make_no_other_words() -> None:
    assert same_words("ask\u200b Kim, please\u00ad") == same_words("Ask Kim please")
