"""Texts and files of public reports that differ in form only."""

from __future__ import annotations

import unicodedata
from datetime import UTC, datetime
from pathlib import Path

import pytest

from actors.facts.store.front_matter import read_keys
from domain.facts.entry import Defaults, read_entry
from domain.facts.reconcile import unknown_of
from messages.facts import EntryRole
from tests.actors.facts.rig import FactsRig

DEFAULTS = Defaults("?", EntryRole.MEMORY, "?", datetime(2000, 1, 1, tzinfo=UTC))
OWN = '---\nid: "e-1"\nrole: "memory"\nconversation_id: "c"\ncreated_at: "2026-01-02T03:04:05+00:00"\n---\nThe words\n'


@pytest.mark.req("X-218")
def test_one_fact_in_two_forms_of_accents_is_one_fact() -> None:
    """As oflisback/obsidian-bridge.nvim#43 and amule-project/amule#312 report of names."""
    for text in ("The user lives in Malmö", "Zoë lives in Chișinău", "İzmir", "Ελλάδα ά"):
        forms = [unicodedata.normalize(form, text) for form in ("NFC", "NFD")]
        assert len(unknown_of(forms, ())) == 1


@pytest.mark.req("X-218")
def test_no_line_is_shown_twice_after_regenerated_answers(tmp_path: Path) -> None:
    """As unslothai/unsloth#9984 and nesquena/hermes-webui#6611 report of repeated turns."""
    rig = FactsRig(tmp_path)
    rig.model.extract = lambda _: "[]"
    for number in range(4):
        rig.say("Which bridge is the longest one in Norway?", f"answer {number}", user_text="Which bridge is longest?")
    hits = [hit.content for hit in rig.recall("Which bridge is longest of all?").hits]
    assert hits
    assert len(hits) == len(set(hits))
    rig.stop()


@pytest.mark.req("X-218")
def test_front_matter_of_other_programs_before_ours_hides_nothing() -> None:
    """As basicmachines-co/basic-memory#1171 and basicmachines-co/basic-memory#528 report."""
    for foreign in (
        "---\npermalink: notes/x\ntags: [a, b]\n---\n",
        "---\ntitle: x\n---\n\n",
        "---\r\naliases:\r\n---\r\n",
    ):
        entry = read_entry(foreign + OWN, DEFAULTS, read_keys)
        assert (entry.id, entry.conversation, entry.content) == ("e-1", "c", "The words"), foreign
    quoted = "---\ntitle: x\n---\n---\nnot: ours\n---\ntext\n"
    assert read_entry(quoted, DEFAULTS, read_keys).content.startswith("---\nnot: ours")


@pytest.mark.req("X-218")
def test_dates_with_names_of_zones_are_read() -> None:
    cases = {
        "2026-07-01 12:00 Europe/Berlin": 10,
        "2026-07-01T12:00:00[Europe/Berlin]": 10,
        "2026-07-01T12:00:00+02:00[Europe/Berlin]": 10,
        "2026-07-01 12:00:00 CEST": 10,
        "2026-07-01 12:00 PST": 20,
        "2026-07-01 12:00 UTC": 12,
    }
    failures = []
    for said, hour in cases.items():
        at = read_entry(f'---\ncreated_at: "{said}"\n---\nx\n', DEFAULTS, read_keys).created_at
        failures += [f"{said}: {at}"] if at != datetime(2026, 7, 1, hour, tzinfo=UTC) else []
    assert not failures
    nowhere = '---\ncreated_at: "2026-07-01 12:00 Nowhere/Land"\n---\nx\n'
    assert read_entry(nowhere, DEFAULTS, read_keys).created_at == DEFAULTS.created_at
