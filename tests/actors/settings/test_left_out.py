"""The line on what does not count is one line, names what matters, and can mislead no terminal."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actors.settings.left_out import LeftOut

TEXTS = st.text(st.characters(), max_size=20)


def test_it_names_the_file_its_settings_and_the_way_out() -> None:
    left_out = LeftOut(file="agent.toml", keys=("shell.sandbox", "model.api_base"), others=1)

    assert left_out.sentence("bin/agent") == (
        "this folder is not trusted; left out: of agent.toml shell.sandbox, model.api_base, 1 unknown key. "
        "After a look at it run `bin/agent trust`, or name a settings file by --config"
    )


def test_of_many_settings_the_first_are_named_and_the_others_counted() -> None:
    left_out = LeftOut(file="agent.toml", keys=tuple(f"t.k{number}" for number in range(9)), others=200)

    assert "t.k0, t.k1, t.k2, t.k3, 5 more settings, 200 unknown keys." in left_out.sentence("agent")


def test_a_file_that_has_changed_is_named_as_such() -> None:
    left_out = LeftOut(file="agent.toml", keys=("model.name",), changed="agent.toml")

    assert left_out.sentence("agent").startswith("agent.toml has changed since it was trusted; left out: ")


def test_secrets_and_data_are_named_beside_the_settings() -> None:
    joined = LeftOut().join_secrets(
        LeftOut(secrets="secrets.env", changed="secrets.env", trouble="t: is damaged"), "data"
    )

    assert joined
    assert (
        "secrets.env has changed since it was trusted (t: is damaged); left out: secrets.env; data."
        in joined.sentence("a")
    )


def test_where_nothing_is_left_out_there_is_nothing_to_say(subtests: pytest.Subtests) -> None:
    cases: list[LeftOut] = [LeftOut(), LeftOut(changed="agent.toml", trouble="damaged")]
    for left_out in cases:
        with subtests.test(left_out=left_out):
            assert not left_out


@given(TEXTS, TEXTS, TEXTS, TEXTS)
def test_whatever_the_names_are_it_is_one_printable_line(file: str, fault: str, name: str, trouble: str) -> None:
    left_out = LeftOut(file=file, fault=fault, secrets=name, data=name, changed=name, trouble=trouble)

    assert left_out.sentence("agent").isprintable()
