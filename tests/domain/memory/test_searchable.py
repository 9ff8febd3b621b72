from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.memory.hybrid_text import keyword_text
from domain.memory.keywords import terms
from domain.memory.searchable import searchable
from tests.domain.memory.test_hybrid import NOON

FOUND = (
    # scripts without blanks: a word within a sentence
    ("她每天晚上弹钢琴两个小时", "弹钢琴"),
    ("我们家的猫叫小黑", "猫"),
    ("週末一起去爬山吧", "爬山"),
    ("毎朝ピアノを弾いています", "ピアノ"),
    ("来月京都へ引っ越します", "京都"),
    ("ＰＩＡＮＯはﾋﾟｱﾉです", "ピアノ piano"),
    ("เมื่อวานฉันกินข้าวผัดที่ตลาด", "ข้าวผัด"),
    ("ខ្ញុំចូលចិត្តលេងព្យាណូ", "ព្យាណូ"),
    ("ຂ້ອຍມັກກິນເຂົ້າໜຽວ", "ເຂົ້າໜຽວ"),
    ("ကျွန်တော်စန္ဒရားတီးတယ်", "စန္ဒရား"),
    ("어제 서울에서 친구를 만났다", "서울"),
    # marks and joiners within words
    ("मुझे हिन्दी पढ़ना पसंद है", "हिन्दी"),
    ("كَتَبَ مُحَمَّدٌ رسالة", "محمد"),
    ("من کتاب می‌خواهم", "میخواهم"),
    ("Das Schiff\xadfahrts\xadamt ist zu", "Schifffahrtsamt"),
    # signs and numbers
    ("We rewrote the parser in C++ last year", "C++"),
    ("The plugin is F# only", "F#"),
    ("私はC++を使います", "C++"),
    ("Open it in notepad++, please", "notepad++"),
    ("Happy birthday 🎂!", "🎂"),
    ("I ❤️ that café", "❤"),
    ("👍🏽 from me", "👍"),
    ("The rent is 1,250 a month", "1250"),
    ("Die Miete kostet 1.250 Euro", "1,250"),
    ("The door code is 4711.", "4711"),
)
"""(turn, question): a word of the turn's language, each of which must have a term of the turn.

Of openclaw/openclaw#20730, #110500 and #83384, whose index has a Chinese sentence as one word.
"""


@pytest.mark.req("X-212")
def test_a_turn_has_every_term_of_a_word_in_it_whatever_the_script_or_sign() -> None:
    failures = [
        (text, question)
        for text, question in FOUND
        if not terms(question) or not {*terms(question)} <= {*terms(keyword_text("Ana", NOON, text))}
    ]
    assert not failures


@pytest.mark.req("X-212")
def test_names_that_differ_by_their_signs_are_different_words() -> None:
    assert not {*terms("C++")} <= {*terms("C and C#")}
    assert {*terms("C")} <= {*terms("C++")}
    assert not {*terms("🎂")} & {*terms("🎹 cake")}


def test_text_of_plain_words_is_searchable_as_it_stands() -> None:
    for text in ("It rained, all day; a ferry to Tallinn at 10:30 + more", "Größe und Façade"):
        assert searchable(text) == text


@given(st.text("ab C+#1,0 .中文字ピアกิ한국é\u0301\u200d🎂'", max_size=40))
def test_the_words_of_a_searchable_text_are_searchable(text: str) -> None:
    once = searchable(text)
    assert searchable(once, is_question=True).split() == once.split()
