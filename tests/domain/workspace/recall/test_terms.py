from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.workspace.recall.terms import LONGEST, MOST, Telling, asked, terms

NOTHING, SOMETHING, MUCH = Telling.NOTHING, Telling.SOMETHING, Telling.MUCH


@pytest.mark.parametrize(
    ("one", "other"),
    [
        *(("glazes", "glaze"), ("DEPLOYMENTS", "deployment"), ("Versicherungen", "Versicherung"), ("Zähler", "zahler")),
        *(
            ("Pachtvertrags", "Pachtvertrag"),
            ("서버를", "서버"),
            ("ＡＢＣＤＥ", "abcde"),
            ("Kilns.", "kiln"),
            ("deploy", "deployments"),
        ),
    ],
)
def test_forms_of_a_word_are_one_term(one: str, other: str) -> None:
    assert set(terms(one)) == set(terms(other)) != set()


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("staging_server", {"staging_server", "stage", "server"}),
        ("parseHTTPRequest", {"parsehttprequest", "pars", "http", "request"}),
        ("src/app/orders.py", {"src/app/orders.py", "src", "app", "order", "py"}),
        ("KILN-17", {"kiln-17", "kiln", "17"}),
        ("v2.3", {"v2.3", "v2", "3"}),
    ],
)
def test_an_identifier_is_a_term_whole_and_in_its_parts(text: str, found: set[str]) -> None:
    assert set(terms(text)) == found


def test_scripts_without_blanks_give_pairs_and_katakana_whole_words() -> None:
    assert terms("部署目标") == ("部署", "署目", "目标")
    assert terms("サーバーの設定") == ("サーバー", "設定")
    assert terms("배포하다") == ("배포", "포하", "하다")
    assert terms("的的猫") == ("的的", "的猫")
    assert terms("今天的猫") == ("天的", "的猫"), "a pair that every text may have is left out"


def test_words_that_make_up_sentences_are_no_terms() -> None:
    assert terms("What is the of and a x") == ()


@pytest.mark.parametrize(
    ("message", "term", "telling"),
    [
        *(
            ("we need tenmoku", "tenmoku", MUCH),
            ("the shop is closed", "shop", SOMETHING),
            ("thanks a lot", "thank", NOTHING),
        ),
        *(("likes", "like", NOTHING), ("projects", "project", SOMETHING), ("mix clay", "clai", SOMETHING)),
        *(
            ("ask Noor about it", "noor", MUCH),
            ("Noor knows", "noor", SOMETHING),
            ("frag mal wie Noor es will", "noor", SOMETHING),
        ),
        *(("wir fragen Noor", "noor", SOMETHING), ("port 8443", "8443", MUCH), ("in 2026", "2026", NOTHING)),
        *(
            ("17 of them", "17", NOTHING),
            ("all 400", "400", SOMETHING),
            ("v2 is out", "v2", SOMETHING),
            ("the c17", "c17", MUCH),
        ),
        *(("run norlink_push", "norlink_push", MUCH), ("the id", "id", NOTHING), ("部署", "部署", MUCH)),
        *(
            ("well-known", "well-known", None),
            ("salt-glazed", "salt-glazed", MUCH),
            ("day-time", "day-time", None),
            ("サーバー", "サーバー", MUCH),
            ("メモリ", "メモリ", SOMETHING),
        ),
        *(("see Noor. Noor", "noor", MUCH), ("ends. Noor", "noor", SOMETHING)),
    ],
)
def test_how_much_a_term_says_is_judged_without_the_files(message: str, term: str, telling: Telling | None) -> None:
    assert asked(message).get(term) == telling


@pytest.mark.parametrize(
    ("message", "found"),
    [
        ("快递用哪一家", {"快递": MUCH, "递用": NOTHING, "用哪": NOTHING, "哪一": NOTHING, "一家": NOTHING}),
        ("部署目标", {"部署": SOMETHING, "署目": SOMETHING, "目标": SOMETHING}),
        ("考试的原因", {"考试": SOMETHING, "试的": NOTHING, "的原": NOTHING, "原因": SOMETHING}),
        ("배포는", {"배포": MUCH}),
        ("친구는", {"친구": SOMETHING}),
    ],
)
def test_a_pair_alone_between_characters_of_grammar_is_a_word(message: str, found: dict[str, Telling]) -> None:
    assert asked(message) == found


@pytest.mark.parametrize(
    ("message", "term", "telling"),
    [
        ("会議はいつ?", "会議", SOMETHING),
        ("翻訳はどうなった?", "翻訳", SOMETHING),
        ("年末までに出す", "年末", SOMETHING),
        ("年末到了", "年末", NOTHING),
        ("요리는 누가 해?", "요리", SOMETHING),
        ("요리는 누가 해?", "누가", None),
        ("有些限制", "些限", NOTHING),
    ],
)
def test_a_known_word_says_something_whatever_its_characters_are(
    message: str, term: str, telling: Telling | None
) -> None:
    assert asked(message).get(term) == telling


@pytest.mark.parametrize("word", ["helped", "helping", "helpful", "tries", "working", "thinks", "giving", "kindly"])
def test_the_forms_of_an_empty_word_are_empty(word: str) -> None:
    assert set(asked(word).values()) == {NOTHING}


@pytest.mark.parametrize(
    ("word", "telling"), [("receiver", MUCH), ("gas", SOMETHING), ("api", NOTHING), ("team", SOMETHING)]
)
def test_a_word_that_only_sounds_like_an_empty_one_says_something(word: str, telling: Telling) -> None:
    assert set(asked(f"the {word}").values()) == {telling}


def test_of_a_long_message_the_first_terms_are_looked_for() -> None:
    many = asked(" ".join(f"word{number}" for number in range(200)))
    assert len(many) == MOST
    assert "word0" in many
    assert "tenmoku" not in asked("x" * LONGEST + " tenmoku")


@given(st.text(max_size=200))
def test_a_message_asks_for_the_terms_that_the_same_text_has(text: str) -> None:
    assert set(asked(text)) <= set(terms(text))
    assert len(asked(text)) == min(MOST, len(set(terms(text))))
