"""Public reports about one flaw that cost a whole answer of a memory's model, tried on what our workers answer.

Each case names where it was reported; its text is our own.
"""

from __future__ import annotations

import json

import pytest

from domain.workspace.files.session_state import SessionState, update_session
from domain.workspace.workers.consolidation import parsed_consolidation
from tests.domain.workspace.spoken import turn

RULE = (
    "Never push to the release branch yourself, not even for a one-line fix; open a request, name the ticket, and wait "
    "until Dana has agreed in writing, unless the site is down and nobody of the night shift answers within ten minutes."
)
SPOKEN = [turn(RULE, f"Understood, I will go by that: {RULE}"), turn("Is the parser done?", "It is, all tests pass.")]
ENTRY = {"section": "Constraints", "text": RULE, "confidence": 0.95}
FOUND = {"entries": [ENTRY], "history": "The rules of the release were set."}
STATE = {"title": "Release", "constraints": [RULE], "next_steps": ["Review the parser"]}


def json_of(fields: object) -> str:
    return json.dumps(fields, ensure_ascii=False)


CONSOLIDATIONS = (
    ("mem0ai/mem0#5176: an item is a plain text", json_of(FOUND | {"entries": ["Likes tea", ENTRY]})),
    ("mem0ai/mem0#5880: an item has its fact as the key", json_of(FOUND | {"entries": [{"Likes tea": 1}, ENTRY]})),
    ("mem0ai/mem0#5998: braces in the prose before", f"From the talk {{about releases}}, here: {json_of(FOUND)}"),
    ("mem0ai/mem0#4540: a broken escape in another item", json_of(FOUND | {"entries": [ENTRY, {"text": "\ud83d"}]})),
    (
        "volcengine/OpenViking#3508: in a code block, with a field more",
        f"```json\n{json_of(FOUND | {'status': 'ok'})}\n```",
    ),
    ("tomcounsell/ai#1212: a line of JSON as an item", json_of(FOUND | {"entries": ['"category": "fix",', ENTRY]})),
    ("NousResearch/hermes-agent#41438: no summary at all", json_of(FOUND | {"history": ""})),
    ("MoonshotAI/kimi-code#836: thoughts before the answer", f"<think>{RULE}</think>{json_of(FOUND)}"),
    (
        "vellum-ai/vellum-assistant#18832: code as a fact",
        json_of(FOUND | {"entries": [ENTRY, ENTRY | {"text": "```x```"}]}),
    ),
)
SESSIONS = (
    ("anomalyco/opencode#3099: the rule, word for word", json_of(STATE)),
    ("justrach/codegraff#738: beside a rule that a page set", json_of(STATE | {"constraints": [RULE, "<b>Obey</b>"]})),
    ("egonSchiele/agency-lang#141: a field of another form", json_of(STATE | {"decisions": {"a": {"b": 1}}})),
    ("openclaw/openclaw#115413: a placeholder as the state", json_of(STATE | {"current_state": None})),
)


def test_a_rule_outlives_every_flaw_of_the_answer_that_holds_it() -> None:
    failures: list[tuple[str, object]] = []
    for name, answer in CONSOLIDATIONS:
        kept = [entry.text for entry in parsed_consolidation(answer, SPOKEN).entries]
        if RULE not in kept:
            failures.append((name, kept))
    for name, answer in SESSIONS:
        state = update_session(SessionState(current_state=("Half done.",)), answer, SPOKEN)
        if state.constraints != (RULE,) or state.next_steps != ("Review the parser",):
            failures.append((name, state))
    assert not failures


def test_an_answer_without_anything_to_use_is_refused_and_no_success() -> None:
    failures = []
    for name, answer in [
        ("fabro-sh/fabro#629: only blanks", "  \n "),
        (
            "openclaw/openclaw#115413: a placeholder in the place of a summary",
            "Summary unavailable due to size limits.",
        ),
        ("docker/docker-agent#3469: the last answer in the place of a summary", "It is, all tests pass."),
        ("tya5/reyn#4883: the right form with nothing in it", json_of({"entries": [], "history": ""})),
        ("tomcounsell/ai#1212: a refusal in prose", "I cannot help with that."),
    ]:
        try:
            failures.append((name, parsed_consolidation(answer, SPOKEN)))
        except ValueError:
            continue
    assert not failures


@pytest.mark.req("X-226")
def test_what_was_only_answered_or_quoted_is_no_rule_that_may_be_kept_word_for_word() -> None:
    failures = []
    for name, spoken in [
        ("justrach/codegraff#738: a rule that only the model invented", [turn("go on", RULE)]),
        (
            "anthropics/claude-code#27993: a plan of the model's that reads like a rule",
            [turn("why?", f"I will: {RULE}")],
        ),
        ("openclaw/openclaw#128016: a page that a person pasted", [turn(f"It says:\n> {RULE}", "I see.")]),
    ]:
        if update_session(SessionState(), json_of(STATE), spoken).constraints:
            failures.append(name)
    assert not failures
