"""Laws that every class of messages/ keeps."""

from __future__ import annotations

import inspect
import os
import typing
from collections import Counter
from datetime import UTC, datetime
from enum import Enum
from functools import cache, reduce
from operator import or_
from types import ModuleType, NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from messages.base import Address, Message, Value
from tests.messages.catalogue import all_messages, all_structs, modules, shares, structs, unions

ATOMS: tuple[type, ...] = (str, int, float, bool, NoneType, bytes, datetime)

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
atoms: dict[type, st.SearchStrategy[Any]] = {
    str: texts,
    int: st.integers(-(2**63), 2**64 - 1),
    float: st.floats(allow_nan=False, allow_infinity=False),
    bool: st.booleans(),
    NoneType: st.none(),
    bytes: st.binary(max_size=20),
    datetime: st.datetimes(timezones=st.just(UTC)),
}


def is_union(kind: object) -> bool:
    return get_origin(kind) in (Union, UnionType)


MOST_ITEMS = 3
CODECS = (msgspec.json, msgspec.msgpack)


def is_immutable(kind: Any) -> bool:
    """True if no value of a field of this type can be changed, however deep."""
    if isinstance(kind, typing.NewType):
        return is_immutable(kind.__supertype__)
    if is_union(kind) or get_origin(kind) in (tuple, frozenset):
        return bool(get_args(kind)) and all(arg is Ellipsis or is_immutable(arg) for arg in get_args(kind))
    if get_origin(kind) is typing.Literal:
        return True
    if not inspect.isclass(kind):
        return False
    return kind in ATOMS or issubclass(kind, Enum) or (issubclass(kind, Value | Address) and kind in all_structs())


def values_of(kind: Any) -> st.SearchStrategy[Any]:
    """Values that a field of this type may have."""
    if isinstance(kind, typing.NewType):
        return values_of(kind.__supertype__)
    if get_origin(kind) is typing.Annotated:
        return bounded_values_of(*get_args(kind))
    if is_union(kind):
        return st.one_of(*(values_of(arg) for arg in get_args(kind)))
    if get_origin(kind) is tuple:
        first, *rest = get_args(kind)
        if rest == [Ellipsis]:
            return st.lists(values_of(first), max_size=MOST_ITEMS).map(tuple)
        return st.tuples(*(values_of(arg) for arg in get_args(kind)))
    if get_origin(kind) is frozenset:
        return st.frozensets(values_of(get_args(kind)[0]), max_size=3)
    if get_origin(kind) is typing.Literal:
        return st.sampled_from(get_args(kind))
    if issubclass(kind, Enum):
        return st.sampled_from(list(kind))
    return atoms[kind] if kind in atoms else instances(kind)


def bounded_values_of(kind: Any, bounds: msgspec.Meta) -> st.SearchStrategy[Any]:
    """Values of a text, a number or a tuple that has a maximum."""
    if get_origin(kind) is tuple:
        assert (bounds.max_length or 0) >= MOST_ITEMS
        return values_of(kind)
    kind = getattr(kind, "__supertype__", kind)
    if kind is str:
        return st.text(st.characters(exclude_categories=["Cs"]), max_size=min(20, bounds.max_length or 0))
    if kind is bytes:
        return st.binary(min_size=bounds.min_length or 0, max_size=min(20, bounds.max_length or 0))
    if kind is datetime:
        assert bounds.tz
        return atoms[datetime]
    if kind is float:
        return st.floats(bounds.ge, bounds.le, allow_nan=False)
    assert kind is int, f"{kind}: how is one made that keeps {bounds}?"
    lowest, greatest = (None if bound is None else int(bound) for bound in (bounds.ge, bounds.le))
    return st.integers(lowest, greatest)


@cache
def instances(cls: type[msgspec.Struct]) -> st.SearchStrategy[msgspec.Struct]:
    hints = get_type_hints(cls, include_extras=True)
    return st.builds(cls, **{name: values_of(kind) for name, kind in hints.items()})


@cache
def decoder(codec: ModuleType, cls: type) -> Any:
    """Reads `cls`; for `Message`, any message at all, told apart by its tag."""
    return codec.Decoder(reduce(or_, all_messages()) if cls is Message else cls)


def example_of(cls: type[msgspec.Struct]) -> msgspec.Struct:
    """The plainest instance: no text, no items, zeros."""
    plain: dict[type, Any] = {str: "", int: 0, float: 0.0, bool: False, NoneType: None, bytes: b"", tuple: ()}
    plain |= {datetime: datetime(2026, 1, 30, tzinfo=UTC), frozenset: frozenset()}

    def value(kind: Any) -> Any:
        if isinstance(kind, typing.NewType):
            return value(kind.__supertype__)
        if is_union(kind):
            return value(get_args(kind)[0])
        if (get_origin(kind) or kind) in plain:
            return plain[get_origin(kind) or kind]
        return next(iter(kind)) if issubclass(kind, Enum) else example_of(kind)

    return cls(**{name: value(kind) for name, kind in get_type_hints(cls).items()})


def test_the_judge_of_these_tests_tells_immutable_types_from_others() -> None:
    immutable = (str, tuple[str, ...], tuple[Address, int], frozenset[bytes] | None)
    others = (list[str], dict[str, str], tuple[list[int], ...], tuple, object, Any, str | set[str], Exception)

    assert [kind for kind in immutable if not is_immutable(kind)] == []
    assert [kind for kind in others if is_immutable(kind)] == []


def test_every_class_is_a_message_or_a_value() -> None:
    assert len(all_messages()) > 25
    assert len(all_structs()) > len(all_messages())
    assert [cls for cls in all_structs() if not issubclass(cls, Message | Value | Address)] == []


@pytest.mark.req("C-32")
def test_no_field_can_be_set_even_by_force() -> None:
    for cls in all_structs():
        instance = example_of(cls)
        for name in cls.__struct_fields__:
            with pytest.raises(TypeError):
                object.__setattr__(instance, name, None)
            with pytest.raises(AttributeError):
                setattr(instance, name, None)
            with pytest.raises(AttributeError):
                delattr(instance, name)
        with pytest.raises(AttributeError):
            instance.surprise = 1  # type: ignore[attr-defined]


@pytest.mark.req("C-32")
def test_every_field_is_deeply_immutable() -> None:
    fields = ((cls, name, kind) for cls in all_structs() for name, kind in get_type_hints(cls).items())

    assert [(cls, name, kind) for cls, name, kind in fields if not is_immutable(kind)] == []


def test_fields_are_named_in_every_call() -> None:
    allowed = {inspect.Parameter.KEYWORD_ONLY}
    kinds = {cls: {each.kind for each in inspect.signature(cls).parameters.values()} for cls in all_structs()}

    assert [cls for cls in kinds if kinds[cls] - allowed and cls is not Address] == []


def test_the_garbage_collector_has_nothing_to_do_with_it() -> None:
    configs = {cls: cls.__struct_config__ for cls in all_structs()}

    assert {
        cls: config
        for cls, config in configs.items()
        if (config.frozen, config.gc, config.eq, config.dict) != (True, False, True, False)
    } == {}


def test_every_class_has_a_sentence_for_a_docstring() -> None:
    firsts = {cls: (cls.__dict__.get("__doc__") or "").strip().split("\n")[0] for cls in all_structs()}

    assert [cls for cls, first in firsts.items() if not first.endswith((".", ":"))] == []


def round_trip(cls: type[msgspec.Struct]) -> None:
    """Send examples of a class through each codec."""
    decoders = {codec: decoder(codec, Message if issubclass(cls, Message) else cls) for codec in CODECS}

    @settings(max_examples=10 if os.environ.get("HYPOTHESIS_PROFILE") != "thorough" else 500)
    @given(sent=instances(cls))
    def check(sent: msgspec.Struct) -> None:
        for codec, read in decoders.items():
            arrived = read.decode(codec.encode(sent))
            assert type(arrived) is cls
            assert arrived == sent
            assert hash(arrived) == hash(sent)

    check()


def test_messages_arrive_as_they_were_sent() -> None:
    for cls in all_structs():
        round_trip(cls)


def test_class_names_are_unique_so_that_a_tag_names_one_class() -> None:
    names = Counter(cls.__name__ for cls in all_structs())

    assert [name for name, count in names.items() if count > 1] == []


def test_every_message_has_exactly_one_place_in_the_unions_of_its_module() -> None:
    for module in modules():
        places = Counter(cls for members in shares(module).values() for cls in members)

        assert places == Counter(cls for cls in structs(module) if issubclass(cls, Message)), module.__name__


def test_values_stand_in_no_union() -> None:
    members = [cls for module in modules() for group in unions(module).values() for cls in group]

    assert [cls for cls in members if not issubclass(cls, Message)] == []


def test_every_reply_names_the_request_that_it_answers() -> None:
    named = [(name, group) for module in modules() for name, group in shares(module).items()]
    replies = [cls for name, group in named if name.endswith(("Reply", "Answer")) for cls in group]

    assert replies
    assert [cls for cls in replies if "request_id" not in cls.__struct_fields__] == []


@pytest.mark.req("C-18")
def test_every_module_names_its_protocol() -> None:
    assert [module.__name__ for module in modules() if not (module.__doc__ or "").strip()] == []
