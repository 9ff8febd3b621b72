"""Plain letters: one spelling in the index and in the question."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.memory.excerpt import excerpt
from domain.memory.hybrid import names
from domain.memory.hybrid_text import keyword_text
from domain.memory.keywords import question_terms, terms
from domain.memory.letters import plain_letters
from tests.domain.memory.test_hybrid import NOON

SPELLED = (
    ("Das Büro ist in der Goethestraße", "GOETHESTRASSE"),  # Tatoeba/tatoeba2#1951: ß was no letter
    ("Wir treffen uns in Łódź", "lodz"),  # stella/stella#2123, Neamar/KISS#1141: ł is no l with a mark
    ("Spotkanie: ŁĄKA o ósmej", "łąka"),  # open-webui/open-webui#29102: capitals beyond ASCII
    ("Tak for hjælpen, sagde Søren", "soren hjaelpen"),  # runbox/runbox7#1259: people leave marks out
    ("Chị Nguyễn Thị Đặng đã gọi", "nguyen dang"),  # homielab/giapha-os#33: letters with two marks
    ("Η Αθήνα είναι το τέλος", "ΑΘΗΝΑ ΤΕΛΟΣ"),  # giowck/symphytum#134: Greek accents and the last sigma
    ("Купили ёлку на рынке", "елку"),  # use-agent-os/agent-os#2253: words beyond ASCII were not found
    ("قابلت أحمد في المدرسة", "احمد المدرسه"),  # Itqan-community/RATQ#287: alef and teh of several forms
    ("این کتاب علی است", "كتاب علي"),  # meilisearch/charabia#382: Persian and Arabic kaf and yeh
    ("رحمۃ اللہ", "رحمة الله"),  # TarteelAI/quranic-universal-library#749: an Urdu keyboard
    ("محمـــد هنا", "محمد"),  # meilisearch/charabia#204: a stretched word
    ("الموعد سنة ٢٠٢٧", "2027"),
    ("१२३४ कोड है", "1234"),
    ("İstanbul'da Işık yandı", "istanbul ışık"),  # 4gray/iptvnator#609: dotted capital I
    ("Salon ISPARTA'da", "ısparta"),  # microsoft/vscode#155930, OHF-Voice/hassil#295: the dotless one
    ("Ångström and Dvořák met in Kraków", "angstrom dvorak krakow"),  # exlibrisrpg/exlibris#5
    ("Mörk Borg at eight", "mork borg"),
    ("ＲＵＬＥ－Ａ００２ failed", "rule a002"),  # lyonzin/knowledge-rag#140: a part of a code of several
    ("The call my_variable fails", "variable"),  # tobi/qmd#404: underscores
    ("The link does 40 GB/s", "GB/s"),  # ohdearquant/khive#880: a slash was an error
    ("We don’t use agents", "don't agents"),  # spences10/ccrecall#29: an apostrophe was an error
)
"""(turn, question): each term of the question stands in the turn, in another spelling."""


@pytest.mark.req("X-212")
def test_a_word_is_found_in_each_of_its_spellings() -> None:
    failures = []
    for text, question in SPELLED:
        for stored, query in ((text, question), (question, text)):
            wanted, indexed = question_terms(query), {*terms(keyword_text("Ana", NOON, stored))}
            if (stored is text and not wanted <= indexed) or not wanted & indexed:
                failures.append((stored, query, wanted - indexed))
    assert not failures


def test_letters_that_are_different_stay_different() -> None:
    """A breve makes another letter of и; vowel signs and katakana are no spellings of others."""
    for text in ("й", "Йод", "हिन्दी", "カタカナ", "한국", "plain words"):
        assert plain_letters(text) == text
    assert plain_letters("мой") != plain_letters("мои")


def test_a_person_is_named_in_each_spelling_and_the_words_of_a_question_are_seen_in_an_excerpt() -> None:
    assert names("What did Soren and Lukasz say?", "Søren")
    assert names("What did Soren and Lukasz say?", "Łukasz Nowak")
    text = "Nothing here at all. " * 30 + "We meet in Łódź at ten. " + "Nothing again. " * 30
    assert "Łódź" in excerpt(text, 120, question_terms("lodz")).text


@given(st.text(max_size=60))
def test_plain_letters_are_plain(text: str) -> None:
    once = plain_letters(text)
    assert plain_letters(once) == once
