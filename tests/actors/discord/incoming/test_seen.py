from __future__ import annotations

import warnings

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # discord.py imports audioop, which Python 3.11 deprecates
    from actors.discord.incoming.seen import SeenMessages


def test_a_message_is_new_once() -> None:
    seen = SeenMessages()
    assert [seen.is_new(5), seen.is_new(5), seen.is_new(6)] == [True, False, True]
    assert (seen.has(5), seen.has(7)) == (True, False)


def test_the_newest_message_of_a_channel_is_known_until_another_comes() -> None:
    seen = SeenMessages()
    assert seen.newest_in("x") == ""
    seen.notice("x", 7)
    seen.notice("x", 6)
    assert seen.newest_in("x") == "7"


def test_what_is_remembered_is_bounded() -> None:
    seen = SeenMessages()
    for number in range(60_000):
        seen.is_new(number)
        seen.notice(str(number), number)
    assert seen.is_new(0)
    assert not seen.is_new(59_999)
    assert seen.newest_in("1") == ""


def test_a_channel_in_which_something_is_said_again_and_again_is_not_forgotten() -> None:
    seen = SeenMessages()
    for number in range(1, 60_001):
        seen.notice(str(number), number)
        if number % 1_000 == 0:
            seen.notice("busy", number)
        assert seen.newest_in("busy") == str(number // 1_000 * 1_000 or "")
    assert seen.newest_in("busy") == "60000"
    assert seen.newest_in("59999") == "59999"
    assert 15_000 < len(seen._newest_in) <= 20_000
