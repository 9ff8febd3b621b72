from __future__ import annotations

import json
from dataclasses import fields, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.curated.config import MOST_BYTES, MOST_LINES, MOST_TOKENS, FolderConfig, document, merge_file

DEFAULT = FolderConfig()
SWITCHES = ("enabled", "pageTableInjection", "traceEnabled", "strictWriteback")
MOST = {"maxInjectLines": MOST_LINES, "maxInjectBytes": MOST_BYTES, "maxMemoryTokens": MOST_TOKENS}
CONFIGS = st.builds(
    FolderConfig,
    **{name: st.booleans() for name in SWITCHES},
    **{name: st.integers(0, most) for name, most in MOST.items()},
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


@pytest.mark.req("S1-67")
def test_keys_and_defaults_are_those_of_the_source() -> None:
    assert document(DEFAULT) == {
        "enabled": True,
        "maxInjectLines": 200,
        "maxInjectBytes": 8192,
        "pageTableInjection": True,
        "maxMemoryTokens": 4096,
        "traceEnabled": True,
        "strictWriteback": True,
    }


@given(CONFIGS, CONFIGS)
def test_a_whole_file_counts_whatever_was_in_force(before: FolderConfig, wanted: FolderConfig) -> None:
    assert merge_file(before, json.dumps(document(wanted)).encode()) == (wanted, ())


@given(CONFIGS, CONFIGS, st.sets(st.sampled_from([field.name for field in fields(FolderConfig)])))
@pytest.mark.req("S1-66")
def test_the_keys_of_a_project_count_more_than_the_users_and_all_others_stay(
    user: FolderConfig, project: FolderConfig, names: set[str]
) -> None:
    own_keys = {name: value for name, value in document(project).items() if name in names}
    config, flaws = merge_file(user, json.dumps(own_keys).encode())

    assert flaws == ()
    assert document(config) == {**document(user), **own_keys}


@given(CONFIGS, st.binary(max_size=60))
def test_whatever_a_file_holds_the_outcome_is_in_force_with_every_value_in_its_range(
    before: FolderConfig, data: bytes
) -> None:
    config, flaws = merge_file(before, data)

    assert flaws or config == before


@given(CONFIGS, st.dictionaries(st.sampled_from([*SWITCHES, *MOST, "other"]), JSON, max_size=4))
def test_a_wrong_value_has_a_flaw_that_names_its_key_and_changes_nothing(
    before: FolderConfig, own_keys: dict[str, object]
) -> None:
    config, flaws = merge_file(before, json.dumps(own_keys).encode())
    for name, value in own_keys.items():
        is_right = (name in SWITCHES and isinstance(value, bool)) or (
            name in MOST and isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MOST[name]
        )
        assert any(name in flaw.partition(";")[0] for flaw in flaws) or is_right
        if name != "other":
            assert getattr(config, name) == (value if is_right else getattr(before, name))
    assert replace(config, **{name: getattr(before, name) for name in own_keys if name != "other"}) == before


def test_a_switch_is_true_or_false(subtests: pytest.Subtests) -> None:
    values: list[object] = [0, 1, None, "true", [], {}, 1.0]
    for name in SWITCHES:
        for value in values:
            with subtests.test(name=name, value=value):
                config, (flaw,) = merge_file(DEFAULT, json.dumps({name: value}).encode())

                assert config == DEFAULT
                assert flaw == f"config.json: {name} {json.dumps(value)}: must be true or false"


def test_a_limit_is_a_whole_number_in_its_range(subtests: pytest.Subtests) -> None:
    for name in MOST:
        values: list[object] = [True, False, None, "7", [], {}, 1.0, -1, MOST[name] + 1]
        for value in values:
            with subtests.test(name=name, value=value):
                config, (flaw,) = merge_file(DEFAULT, json.dumps({name: value}).encode())

                assert config == DEFAULT
                assert flaw == f"config.json: {name} {json.dumps(value)}: must be a whole number, 0 to {MOST[name]:,}"
                for right in (0, MOST[name]):
                    assert merge_file(DEFAULT, json.dumps({name: right}).encode())[1] == ()


def test_an_unknown_key_is_named_with_those_that_there_are() -> None:
    config, (flaw,) = merge_file(DEFAULT, b'{"maxLines": 7, "enabled": false}')

    assert config == replace(DEFAULT, enabled=False)
    assert '"maxLines" is unknown' in flaw
    assert all(field.name in flaw for field in fields(FolderConfig))


@pytest.mark.parametrize(
    "data",
    [
        *(b"", b"{", b"[]", b"null", b"7", b"\xff{}", b"{} {}", b"[" * 30_000, b'{"a":' * 10_000),
        *(b'{"maxInjectLines": ' + b"9" * 5000 + b"}", "{}".encode("utf-16")),
    ],
)
def test_of_a_file_that_is_no_object_nothing_counts(data: bytes) -> None:
    config, (flaw,) = merge_file(DEFAULT, data)

    assert config == DEFAULT
    assert flaw.startswith("config.json")
    assert flaw.endswith("the whole file is ignored")


def test_a_flaw_is_short_however_long_the_value_is() -> None:
    data = json.dumps({"enabled": "x" * 60_000, "y" * 60_000: 1, "maxInjectLines": [[1] * 9_000]}).encode()

    assert all(len(flaw) < 300 for flaw in merge_file(DEFAULT, data)[1])


def test_a_file_with_a_byte_order_mark_counts() -> None:
    assert merge_file(DEFAULT, b'\xef\xbb\xbf{"enabled": false}') == (replace(DEFAULT, enabled=False), ())
