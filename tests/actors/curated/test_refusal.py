"""Texts that memory refuses, in whatever disguise, and texts that memory takes."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import pytest

from domain.curated.page import Scope
from domain.curated.refusal import flaw_of_fact, flaw_of_title, flaw_of_topic
from domain.text.secret_look import looks_secret
from messages.curated import AddFact, FactWritten, FixFact, FlushFacts, MoveFact, RememberFact
from tests.actors.curated.rig import GENERAL, CuratedRig

SECRETS = (
    "`password`: `hunter2x`",
    "**password**: hunter2x",
    '"password": "hunter2x"',
    "| password | hunter2x |",
    "password (prod): hunter2x9",
    "\uff50\uff41\uff53\uff53\uff57\uff4f\uff52\uff44\uff1dhunter2x",
    "p\u0430ssword: hunter2x",
    "credentials: admin/hunter2x",
    "login admin / password hunter2x9",
    "password \u2014 hunter2x9",
    "password - hunter2x9",
    "password&#58; hunter2x9",
    "pw: hunter2x9",
    "Passwort: geheim123",
    "contrase\u00f1a: hunter2x",
    "mot de passe : hunter2x",
    "\u043f\u0430\u0440\u043e\u043b\u044c: hunter2x",
    "\u5bc6\u7801\uff1ahunter2x",
    "passw0rd: hunter2x",
    "p a s s w o r d: hunter2x",
    "s k - a 1 c d 2 f g h 3 j k l m n o p q r s t",
    "sk_live_`51Habcdefghijklmnop`",
    "apikey abcd1234efgh",
    "~~password~~: hunter2x",
    "password:: hunter2x",
    "password := hunter2x",
    "token \u2192 abcd1234",
    "password\\: hunter2x",
    "curl -u admin:hunter2x9 https://shop.example",
    "mysql -phunter2x9 shop",
    "Authorization: Basic YWRtaW46aHVudGVyMg==",
)
HARMLESS = (
    "The password is in 1Password",
    "Tokens: see docs/auth.md",
    "The API key lives in .env",
    "PIN codes: four digits",
    "Token counting: four characters to a token",
    "We say \u201cpassword\u201d, never \u201cpassphrase\u201d",
    "access tokens expire in 15 minutes",
    "credentials: docs/creds.md",
    "the token bucket is 100 wide",
    "password \u2014 ask Ann",
    "pw: playwright",
    "Basic authentication is off",
    "`make check` | runs all tests",
    "run as -u root: nobody else may",
    "\u2764\ufe0f is how we sign",
)
UNSEEN = "\u061c\u00ad\u034f\u115f\u180e\u2800\u3164\uffa0\U000e0100\ufff9\u2066\u202e\x1b\x85\u200d\ue000\ufffe\0"


def test_a_secret_is_seen_in_every_disguise(subtests: pytest.Subtests) -> None:
    for text in SECRETS:
        with subtests.test(text=text):
            assert looks_secret(text)


def test_what_only_speaks_of_secrets_is_none(subtests: pytest.Subtests) -> None:
    for text in HARMLESS:
        with subtests.test(text=text):
            assert flaw_of_fact(text, Scope.PROJECT) == ""


def test_what_nobody_sees_is_written_nowhere(subtests: pytest.Subtests) -> None:
    for character in UNSEEN:
        with subtests.test(character=character):
            for flaw in (flaw_of_fact(f"a{character}b", Scope.GLOBAL), flaw_of_title(f"a{character}b", Scope.GLOBAL)):
                assert "invisible characters" in flaw


def test_a_topic_file_has_no_name_that_leads_elsewhere(subtests: pytest.Subtests) -> None:
    for name in ["agents.md", "AGENTS.md", "../x.md", "MEMORY.md", "memory.md", "a/b.md", "", ".md", "a.txt"]:
        with subtests.test(name=name):
            assert flaw_of_topic(name)


def test_no_way_of_writing_puts_a_secret_into_a_projects_memory(tmp_path: Path) -> None:
    (tmp_path / "shop").mkdir()
    rig = CuratedRig(tmp_path, projects={GENERAL.id: tmp_path / "shop"})
    rig.answer(FactWritten, AddFact, scope="project", text="a fact")
    secret = SECRETS[0]
    moved: dict[str, Any] = {"fact": "a fact", "topic": "b.md"}
    for reason in (
        rig.refusal(AddFact, scope="project", text=secret),
        rig.refusal(AddFact, scope="project", text="x y", section=secret),
        rig.refusal(FixFact, scope="project", fact="a fact", text=secret),
        rig.refusal(MoveFact, scope="project", title="b", gist=secret, **moved),
        rig.refusal(MoveFact, scope="project", title=SECRETS[1], gist="x", **moved),
        rig.refusal(RememberFact, scope="project", text=secret),
    ):
        assert "secret" in reason
    rig.ask(FlushFacts)
    assert not any("hunter2x" in path.read_text() for path in (tmp_path / "shop").rglob("*") if path.is_file())


OWN = "sup3r-s3cret-Key_42value"


def test_a_secret_of_the_agents_own_is_written_in_no_disguise(tmp_path: Path, subtests: pytest.Subtests) -> None:
    numbers = itertools.count()
    for text in [
        OWN,
        " ".join(OWN),
        OWN.upper(),
        f"{OWN[:12]} {OWN[12:]}",
        f"{OWN[:12]}**{OWN[12:]}",
        f"{OWN[:12]}`{OWN[12:]}",
        "".join(chr(ord(letter) + 0xFEE0) for letter in OWN),
        OWN.replace("e", "e\u0301"),
        "\ufe0f".join(OWN),
        "".join(f"\\u{ord(letter):04x}" for letter in OWN),
    ]:
        with subtests.test(text=text):
            folder = tmp_path / str(next(numbers))
            folder.mkdir()
            rig = CuratedRig(folder, secrets=frozenset({OWN, "no"}))
            for kind in (AddFact, RememberFact):
                assert "secret of the agent's own" in rig.refusal(kind, scope="global", text=f"the key {text} here")
            rig.answer(FactWritten, AddFact, scope="global", text="no secret at all")
