from __future__ import annotations

import unicodedata

import pytest

from domain.memory.first_person import READ_CHARS, speaks_of_self

SPOKEN = (
    "I’ve been to Oslo",
    "i'm off",
    "It was MY idea!",
    "(we moved)",
    "Das ist meine Katze.",
    "J'ai un chien, moi aussi",
    "Yo vivo aquí",
    "Minha irmã chegou",
    "Questo è mio fratello",
    "Dat heb ik gezien",
    "Det är mitt hus",
    "To mój pies",
    "Я живу в Осло",
    "Benim kedim var",
    "أنا طبيب",
    "אני גר כאן",
    "मैं दिल्ली में रहता हूँ",
    "यह मेरी किताब है",
    "제가 만들었어요",
    "昨天我去了北京",
    "それは私の猫です",
    "ฉันชอบแมว",
    "Tôi thích mèo",
    "Το σπίτι μου",
)
UNSPOKEN = (
    "",
    "How are you?",
    "Mystery iOS menu wedge",
    "Hey Ana, great to see you! You look well",
    "Wie geht es dir?",
    "Как дела?",
    "आप कैसे हैं?",
    "你好吗",
    "a_i b1i",
    f"{'x' * READ_CHARS} I",
)


@pytest.mark.req("X-222")
def test_a_turn_with_a_word_of_the_first_person_near_its_beginning_speaks_of_its_author() -> None:
    cases = [(text, True) for text in SPOKEN] + [(text, False) for text in UNSPOKEN]
    cases += [(unicodedata.normalize("NFC", text.upper()), True) for text in SPOKEN]
    failures = [(text, wanted) for text, wanted in cases if speaks_of_self(text) is not wanted]
    assert not failures
