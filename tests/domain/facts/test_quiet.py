from __future__ import annotations

import pytest

from domain.facts.quiet import asks_to_remember, says_nothing


def test_words_that_only_keep_a_conversation_going_say_nothing(subtests: pytest.Subtests) -> None:
    cases: list[str] = [
        "",
        "  \n",
        "ok",
        "Thanks!",
        "thank you",
        "OK, go on…",
        "👍",
        "???",
        "danke",
        "はい",
        "Merci.",
        "no no no",
        "…",
        "OK 👍🏽",
        ":)",
        "谢谢",
    ]
    for text in cases:
        with subtests.test(text=text):
            assert says_nothing(text)


def test_anything_else_may_say_something(subtests: pytest.Subtests) -> None:
    cases: list[str] = [
        "I am Anne",
        "no meat please, ever again",
        "42",
        "call me Al",
        "vegan",
        "yes yes yes yes",
        "ok I moved to Oslo",
        "住在奥斯陆",
        "good, but vegan",
        "+1",
        "no, Anne",
        "½",
        "नमस्ते",
        "http://x",
    ]
    for text in cases:
        with subtests.test(text=text):
            assert not says_nothing(text)


@pytest.mark.req("X-232")
def test_wishes_to_remember_are_seen_in_many_languages() -> None:
    wishes = """
        Hi! Remember that I am allergic to nuts
        please don't forget: the key is under the mat
        Don\u2019t forget my birthday
        Keep in mind that I work nights
        For the record, my dog is called Rex
        From now on call me Al
        Merk dir bitte, dass ich Vegetarier bin
        Vergiss nicht, mein Zug geht um acht
        Denk dran, ich wohne jetzt in Kiel
        Souviens-toi que ma fille s'appelle Zoé
        N'oublie pas que je suis gaucher
        Recuerda que vivo en Lugo
        No olvides que soy celíaca
        Ricordati che odio il freddo
        Lembre que eu moro no Porto
        Запомни: меня зовут Игорь
        Не забудь, что у меня аллергия
        记住我不吃香菜
        別忘了我住台北
        私の誕生日を覚えておいて
        忘れないで、猫が二匹います
        내가 채식주의자라는 걸 기억해 줘
        Onthoud dat ik in Gent woon
        Zapamiętaj, że mam psa
        Kom ihåg att jag är vegan
    """
    others = """
        My wife is called Anne and we live in Oslo
        What is the capital of France?
        Ich wohne in Kiel und habe zwei Katzen
        Je travaille de nuit
        我住在上海
        猫が二匹います
        The members met in December
        Did anything come of it? I only remember that there were open questions
        Do you remember what I said about Oslo?
        I can hardly remember the name
    """
    assert [line.strip() for line in wishes.strip().splitlines() if not asks_to_remember(line)] == []
    assert [line.strip() for line in others.strip().splitlines() if asks_to_remember(line)] == []
