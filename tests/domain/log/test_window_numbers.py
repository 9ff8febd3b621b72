"""Windows with their numbers: every key is found as itself, whatever its id is."""

from __future__ import annotations

from domain.log.window_numbers import WindowNumbers

KEYS = (
    "discord-thread/1",
    "discord-channel/1",
    "discord-thread/0",
    "discord-thread/01",
    "discord-thread/00",
    "discord-thread/",
    "discord-thread",
    "discord-thread/\u0661",
    "discord-thread/1/2",
    "discord-thread/-1",
    "discord-thread/9999999999999999999",
    "discord-thread/18446744073709551616",
    "discord-thread/18446744073709551617",
    "cli/turn",
    "",
)


def test_keys_that_look_alike_are_told_apart() -> None:
    numbers = WindowNumbers()
    for number, key in enumerate(KEYS):
        assert key not in numbers
        numbers.put(key, number)
    assert [numbers.get(key) for key in KEYS] == [*range(len(KEYS))]
    assert sorted(numbers) == sorted(KEYS)
    assert sorted(numbers.numbers()) == [*range(len(KEYS))]
    assert len(numbers) == len(KEYS)

    for number, key in enumerate(KEYS):
        numbers.put(key, number + 1)
        assert numbers.get(key) == number + 1
        numbers.pop(key)
        numbers.pop(key)
        assert key not in numbers
        assert len(numbers) == len(KEYS) - number - 1

    numbers.put(KEYS[0], 1)
    numbers.put(KEYS[-1], 1)
    numbers.clear()
    assert not [*numbers]
    assert not len(numbers)
