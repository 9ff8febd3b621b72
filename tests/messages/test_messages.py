"""Laws that every class of messages/ keeps, whoever adds one."""

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
EVERY_CLASS = pytest.mark.parametrize("cls", all_structs(), ids=lambda cls: f"{cls.__module__}.{cls.__name__}")
EVERY_MODULE = pytest.mark.parametrize("module", modules(), ids=lambda module: module.__name__)

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


def is_immutable(kind: Any) -> bool:
    """Whether nothing that can stand in a field of this type can be changed, however deep."""
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
    if kind is str:
        return st.text(st.characters(exclude_categories=["Cs"]), max_size=min(20, bounds.max_length or 0))
    if kind is datetime:
        assert bounds.tz
        return atoms[datetime]
    if kind is float:
        return st.floats(bounds.ge, bounds.le, allow_nan=False)
    assert kind is int, f"{kind}: how is one made that keeps {bounds}?"
    lowest, greatest = (None if bound is None else int(bound) for bound in (bounds.ge, bounds.le))
    return st.integers(lowest, greatest)


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


@pytest.mark.parametrize(
    ("kind", "immutable"),
    [
        (str, True),
        (tuple[str, ...], True),
        (tuple[Address, int], True),
        (frozenset[bytes] | None, True),
        (list[str], False),
        (dict[str, str], False),
        (tuple[list[int], ...], False),
        (tuple, False),
        (object, False),
        (Any, False),
        (str | set[str], False),
        (Exception, False),
    ],
)
def test_the_judge_of_these_tests_tells_immutable_types_from_others(kind: object, immutable: bool) -> None:
    assert is_immutable(kind) is immutable


def test_there_is_something_to_judge() -> None:
    assert len(all_messages()) > 25
    assert len(all_structs()) > len(all_messages())


@EVERY_CLASS
def test_every_class_is_a_message_or_a_value(cls: type[msgspec.Struct]) -> None:
    assert issubclass(cls, Message | Value | Address)


@pytest.mark.req("C-32")
@EVERY_CLASS
def test_no_field_can_be_set_even_by_force(cls: type[msgspec.Struct]) -> None:
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
@EVERY_CLASS
def test_every_field_is_deeply_immutable(cls: type[msgspec.Struct]) -> None:
    assert {name: kind for name, kind in get_type_hints(cls).items() if not is_immutable(kind)} == {}


@EVERY_CLASS
def test_fields_are_named_in_every_call(cls: type[msgspec.Struct]) -> None:
    kinds = {parameter.kind for parameter in inspect.signature(cls).parameters.values()}

    assert kinds <= {inspect.Parameter.KEYWORD_ONLY} or cls is Address


@EVERY_CLASS
def test_the_garbage_collector_has_nothing_to_do_with_it(cls: type[msgspec.Struct]) -> None:
    config = cls.__struct_config__

    assert (config.frozen, config.gc, config.eq, config.dict) == (True, False, True, False)


@EVERY_CLASS
def test_every_class_says_what_it_means(cls: type[msgspec.Struct]) -> None:
    own = cls.__dict__.get("__doc__") or ""

    assert own.strip().split("\n")[0].endswith((".", ":")), f"{cls.__name__} needs a docstring that is a sentence"


@EVERY_CLASS
@settings(max_examples=10 if os.environ.get("HYPOTHESIS_PROFILE") != "thorough" else 500)
@given(data=st.data())
def test_what_is_sent_is_what_arrives(cls: type[msgspec.Struct], data: st.DataObject) -> None:
    sent = data.draw(instances(cls))
    for codec in (msgspec.json, msgspec.msgpack):
        arrived = decoder(codec, Message if issubclass(cls, Message) else cls).decode(codec.encode(sent))
        assert type(arrived) is cls
        assert arrived == sent
        assert hash(arrived) == hash(sent)


def test_class_names_are_unique_so_that_a_tag_names_one_class() -> None:
    names = Counter(cls.__name__ for cls in all_structs())

    assert [name for name, count in names.items() if count > 1] == []


@EVERY_MODULE
def test_every_message_has_exactly_one_place_in_the_unions_of_its_module(module: ModuleType) -> None:
    places = Counter(cls for members in shares(module).values() for cls in members)
    own = [cls for cls in structs(module) if issubclass(cls, Message)]

    assert places == Counter(own)


@EVERY_MODULE
def test_values_stand_in_no_union(module: ModuleType) -> None:
    assert [cls for members in unions(module).values() for cls in members if not issubclass(cls, Message)] == []


@EVERY_MODULE
def test_every_reply_names_the_request_that_it_answers(module: ModuleType) -> None:
    replies = [cls for name, members in shares(module).items() if name.endswith(("Reply", "Answer")) for cls in members]

    assert [cls.__name__ for cls in replies if "request_id" not in cls.__struct_fields__] == []


@pytest.mark.req("C-18")
@EVERY_MODULE
def test_every_module_says_whose_protocol_it_is(module: ModuleType) -> None:
    assert (module.__doc__ or "").strip()
