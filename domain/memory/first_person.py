"""Words of the first person, as a sign of turns about their author."""

from __future__ import annotations

import re

READ_CHARS = 400
"""Number of characters to read from the beginning of a longer turn."""
_SPOKEN = (
    "i me my mine myself we our ours ich mich mir mein meine meinem meinen meiner wir uns unser unsere unseren unserer "
    "je j moi mon nous notre nos yo mi mis mí mío mía nosotros nosotras nuestro nuestra eu meu minha meus minhas nós "
    "nosso nossa io mio mia miei mie noi nostro nostra ik mij mijn wij ons onze jeg jag mig mitt mina "
    "mnie mną mój moja moje moi mně mým můj "
    "я меня мне мной мой моя моё мое мои мы нас нам наш наша мене мені мій моє "
    "benim bana beni saya aku tôi εγώ μου μας أنا لي אני שלי לי मैं मैंने मेरा मेरी मेरे मुझे "
    "나는 난 내가 나의 내 저는 제가 제 저도 나도 우리"
)
_WORDS = frozenset(_SPOKEN.split())
"""A few are other words elsewhere, as "i" in Italian: there they tell turns apart less well, and no turn is lost."""
_WORD_PARTS = re.compile(r"[^\W\d_](?:\w|[\u0900-\u0903\u093a-\u094f])*")
"""Words; the vowel signs of Hindi are no letters, but part of a word."""
_UNPARTED = re.compile("[我私僕俺咱]|わたし|ฉัน|ผม")
"""First-person words in scripts without blanks between words."""


def speaks_of_self(text: str) -> bool:
    """True if `text` has a word of the first person near the beginning."""
    read = text[:READ_CHARS]
    return not _WORDS.isdisjoint(_WORD_PARTS.findall(read.lower())) or _UNPARTED.search(read) is not None
