from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from domain.workspace.recall.terms import LONGEST, MOST, Telling, names_in, possible_names, terms, weigh_terms

NOTHING, SOMETHING, MUCH = Telling.NOTHING, Telling.SOMETHING, Telling.MUCH
ALIKE = (
    ("glazes", "glaze"),
    ("DEPLOYMENTS", "deployment"),
    ("Versicherungen", "Versicherung"),
    ("Zähler", "zahler"),
    ("Pachtvertrags", "Pachtvertrag"),
    ("ＡＢＣＤＥ", "abcde"),
    ("Kilns.", "kiln"),
    ("deploy", "deployments"),
)
TERMS = {
    "staging_server": {"staging_server", "stage", "server"},
    "parseHTTPRequest": {"parsehttprequest", "pars", "http", "request"},
    "src/app/orders.py": {"src/app/orders.py", "src", "app", "order", "py"},
    "KILN-17": {"kiln-17", "kiln", "17"},
    "v2.3": {"v2.3", "v2", "3"},
    "部署目标": {"部署", "署目", "目标"},
    "サーバーの設定": {"サーバー", "設定"},
    "배포하다": {"배포", "포하", "하다"},
    "What is the of and a x": set(),
}
TELLING = (
    ("we need tenmokus", "tenmoku", MUCH),
    ("the shop is closed", "shop", SOMETHING),
    ("port 8443", "8443", MUCH),
    ("in 2026", "2026", NOTHING),
    ("17 of them", "17", NOTHING),
    ("all 400", "400", SOMETHING),
    ("v2 is out", "v2", SOMETHING),
    ("the c17", "c17", MUCH),
    ("run norlink_push", "norlink_push", MUCH),
    ("mix clay", "clai", SOMETHING),
    ("day-time", "day-time", SOMETHING),
    ("salty-glazing", "salty-glazing", MUCH),
    ("部署", "部署", SOMETHING),
    ("サーバー", "サーバー", MUCH),
    ("メモリ", "メモリ", SOMETHING),
)


def test_forms_of_a_word_are_one_term() -> None:
    failures = [(one, other) for one, other in ALIKE if not set(terms(one)) == set(terms(other)) != set()]
    assert not failures


def test_an_identifier_is_a_term_whole_and_in_its_parts_and_scripts_without_blanks_give_pairs() -> None:
    failures = [(text, terms(text)) for text, wanted in TERMS.items() if set(terms(text)) != wanted]
    assert not failures


def test_the_shape_of_a_term_tells_how_much_it_says() -> None:
    failures = [each for each in TELLING if weigh_terms(each[0]).get(each[1]) is not each[2]]
    assert not failures


def test_of_a_long_message_the_first_terms_are_looked_for() -> None:
    many = weigh_terms(" ".join(f"word{number}" for number in range(200)))
    assert len(many) == MOST
    assert "word0" in many
    assert "tenmoku" not in weigh_terms("x" * LONGEST + " tenmoku")


@given(st.text(max_size=200))
def test_a_message_asks_for_the_terms_that_the_same_text_has(text: str) -> None:
    assert set(weigh_terms(text)) <= set(terms(text)) | possible_names(text)
    assert names_in(text) or len(weigh_terms(text)) == min(MOST, len(set(terms(text))))


def test_a_capital_inside_a_sentence_makes_a_name_of_a_common_word() -> None:
    failures = []
    for message, names in [
        ("What did Will say?", {"Will"}),
        ("Ask An about it", {"An"}),
        ("please ask IT", {"IT"}),
        ("Will's key, please", {"Will"}),
        ("Has Do called?", {"Do"}),
        ("Please tell Rose that Grant is late.", {"Rose", "Grant"}),
        ("Will he come? Who is it?", set()),
        ("WHAT WILL WE DO", set()),
        ("What I think is that I will", set()),
        ("Könnten Sie das tun?", set()),
        ("Morgen bringt Anna die Kacheln in die Werkstatt.", set()),
        ("So. What now?", set()),
    ]:
        if names_in(message) != names:
            failures.append((message, names_in(message)))
    assert not failures
