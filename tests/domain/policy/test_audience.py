from __future__ import annotations

import pytest

from domain.policy.audience import NO_VIEW, Audience, Reach, admits, may_show, view_key, view_of
from messages.base import Surface, Window
from messages.discord import Grant, Readers


def window(number: int) -> Window:
    return Window(surface=Surface.DISCORD_THREAD, id=str(number))


def test_a_label_names_its_audience() -> None:
    for reach in Reach:
        audience = Audience("10", "20", reach)
        assert Audience.parse(str(audience)) == audience


def test_an_empty_label_is_an_unknown_audience() -> None:
    assert Audience.parse("") is None


def test_any_other_label_is_refused_by_name(subtests: pytest.Subtests) -> None:
    cases: list[str] = ["1", "1:2", "1:2:all", "a:2:private", "1::private", "1:2:private:3", " 1:2:private"]
    for label in cases:
        with subtests.test(label=label), pytest.raises(ValueError, match="audience"):
            Audience.parse(label)


def readers(
    channel: str = "2", guild: str = "1", *, is_default: bool = True, is_private: bool = False, **named: str
) -> Readers:
    """Readers by one permission; of `named`, each character is one role or member."""
    grant = Grant(is_default=is_default, **{name: frozenset(value) for name, value in named.items()})
    return Readers(guild_id=guild, channel_id=channel, sees=grant, reads=(grant,), is_private=is_private)


def test_a_window_may_always_see_itself() -> None:
    assert may_show(window(1), None, window(1), None)
    assert may_show(window(1), readers(is_private=True), window(1), None)


def test_what_is_not_known_is_shown_nowhere_else() -> None:
    assert not may_show(window(1), None, window(2), readers())
    assert not may_show(window(1), readers(), window(2), None)


def test_another_server_sees_nothing() -> None:
    assert not may_show(window(1), readers(guild="1"), window(2), readers(guild="2"))


def test_a_private_thread_sees_its_channel_and_shows_nobody_anything() -> None:
    assert may_show(window(1), readers(), window(2), readers(is_private=True))
    assert not may_show(window(1), readers(is_private=True), window(2), readers())
    assert not may_show(window(1), readers(is_private=True), window(2), readers(is_private=True))


OPEN = readers()
STAFF = readers("3", is_default=False, allowed_roles="s")
NOT_GUESTS = readers("4", denied_roles="g")


def test_words_go_where_nobody_reads_them_who_could_not_anyway(subtests: pytest.Subtests) -> None:
    cases: list[tuple[Readers, Readers, bool]] = [
        (OPEN, STAFF, True),
        (STAFF, OPEN, False),
        (STAFF, STAFF, True),
        (STAFF, readers("5", is_default=False, allowed_roles="sx"), False),
        (readers("5", is_default=False, allowed_roles="sx"), STAFF, True),
        (NOT_GUESTS, OPEN, False),
        (OPEN, NOT_GUESTS, True),
        (NOT_GUESTS, readers("5", denied_roles="gx"), True),
        (NOT_GUESTS, STAFF, False),  # somebody may be both
        (NOT_GUESTS, readers("5", denied_roles="g", allowed_members="m"), False),
        (readers("5", denied_roles="g", allowed_members="m"), NOT_GUESTS, True),
        (readers("5", denied_members="m"), OPEN, False),
        (readers("5", denied_members="m"), readers("6", denied_members="mn"), True),
        (readers("5", is_default=False, giving_roles="s"), STAFF, True),
        (STAFF, readers("5", is_default=False, giving_roles="s"), True),
        (readers("5", is_default=False, giving_roles="s", denied_roles="g"), STAFF, False),
        (readers("5", denied_roles="g", allowed_roles="s"), readers("6", denied_roles="g"), True),
        (readers("5", denied_roles="g"), readers("6", denied_roles="g", allowed_roles="s"), False),
    ]
    for source, target, is_shown in cases:
        with subtests.test(source=source, target=target, is_shown=is_shown):
            assert admits(source, target) is is_shown


def test_who_sees_a_channel_but_not_what_was_said_before_has_not_read_it() -> None:
    sees, history = Grant(is_default=True), Grant(is_default=False, allowed_roles=frozenset("s"))
    source = Readers(guild_id="1", channel_id="2", sees=sees, reads=(sees, history))
    assert not admits(source, OPEN)
    assert admits(source, STAFF)


def test_windows_of_a_channel_share_a_view() -> None:
    for reach in Reach:
        assert view_key(str(Audience("1", "5", reach))) == "1-5"
    assert view_of(readers("5")) == view_of(readers("5", is_private=True)) == "1-5"
    assert view_key("") == NO_VIEW


def test_a_key_is_one_plain_name_of_a_folder() -> None:
    for label in ("", "1:2:private", "0:9:everyone"):
        assert view_key(label)
        assert not set(view_key(label)) & set("/.")
