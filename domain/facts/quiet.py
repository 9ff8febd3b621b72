"""Quiet turns: words without anything to remember."""

from __future__ import annotations

import re

MOST_WORDS = 3
_WORD = re.compile(r"[^\W\d_]+(?:['\u2019][^\W\d_]+)*")
_DIGIT = re.compile(r"\d")
_EMPTY_WORDS = """
    ok okay k yes yep yeah yup no nope sure thanks thank you thx ty cheers please hi hello hey hiya bye goodbye
    continue go on next more again done great good nice cool fine perfect awesome right correct wow hmm hm oh ah lol
    haha test ping stop wait retry
    danke bitte ja nein hallo tschüss weiter gut super genau
    merci oui non salut bonjour gracias sí si hola vale grazie prego ciao obrigado obrigada sim não olá tak nej hej
    да нет спасибо привет 谢谢 好 好的 是 不 你好 はい いいえ ありがとう 네 아니요
"""
_EMPTY = frozenset(_EMPTY_WORDS.split())


def says_nothing(text: str) -> bool:
    """True if a message needs no extraction: no words, or a few that only keep a conversation going."""
    if _DIGIT.search(text):
        return False
    words = _WORD.findall(text.casefold())
    return len(words) <= MOST_WORDS and all(word in _EMPTY for word in words)
