"""Words without anything to remember, and words that ask to remember."""

from __future__ import annotations

import re
import unicodedata

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
_ASKING_TEXT = r"""
    (?:can|could|will|would|want|need) you (?:to )?(?:please )?remember\b|please remember\b|do not forget
    don['\u2019]?t forget|never forget|(?:keep|bear) (?:this |that |it )?in mind|make a note
    note (?:that|down)|memori[sz]e|for the record|from now on
    merke? (?:dir|euch|es dir|bitte)|vergiss (?:nicht|bitte|nie)|nicht vergessen|denke? (?:bitte )?(?:daran|dran)
    notiere?\b|ab (?:jetzt|sofort) gilt|souviens|souvenez|rappelle-toi|n['\u2019]oublie|retiens|retenez|notez?\b
    désormais|recuerda|acuérdate|no (?:te )?olvid|anota\b|apunta\b|ten en cuenta|a partir de ahora
    ricorda|ricordati|non dimenticar|tieni a mente|lembr[ae]|não (?:te |se )?esque[cç]|anote\b
    onthoud|vergeet niet|zapamiętaj|nie zapom|kom ihåg|glöm inte|husk at|glem ikke|muista|älä unohda|unutma
    запомни|не забуд|запиши|запам['\u2019]ятай|nhớ
"""
_ASKING = re.compile(
    r"(?:^|[.!?;:,\n]\s*|\b(?:and|but|also|so|ok|okay|hey)\s+)remember\b"
    rf"|\b(?:{'|'.join(line.strip() for line in _ASKING_TEXT.strip().splitlines())})"
    "|[记記][住着得下]|[别別]忘|不要忘|勿忘|覚えて|忘れない|忘れずに|メモして|기억해|잊지|메모해|تذكر|لا تنس"
)


def says_nothing(text: str) -> bool:
    """True if a message needs no extraction: no words, or a few words of small talk."""
    if _DIGIT.search(text):
        return False
    words = _WORD.findall(text.casefold())
    return len(words) <= MOST_WORDS and all(word in _EMPTY for word in words)


def asks_to_remember(text: str) -> bool:
    """True if a message seems to ask for a fact to be kept; such a message does not wait for further messages."""
    return _ASKING.search(unicodedata.normalize("NFC", text.casefold())) is not None
