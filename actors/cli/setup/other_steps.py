"""Steps of a setup outside Discord: the model, the file of reminders."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from actors.cli.setup.choosing import Item, choose_items
from actors.cli.setup.models import OFFLINE, OTHER, RECIPES, full_name, key_of, needs_key, recipe_of
from actors.cli.setup.questions import NobodyAskedError, Talk

Check = Callable[[str, object], None]
"""Raises ValueError, with value and rule, for an invalid value of a setting."""
NONE = "-"


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """Model that is to answer."""

    name: str
    api_base: str = ""
    key_name: str = ""
    key: str = field(default="", repr=False)


def model_step(talk: Talk, check: Check, before: ModelChoice, keys: Mapping[str, str]) -> ModelChoice:
    """Choose the model that answers; the model is not tried yet.

    Args:
        talk: Dialogue that asks.
        check: Check of values for the settings.
        before: Choice of the options or settings, without a key.
        keys: Known keys, by litellm's names.
    """
    talk.head(6, "The model that answers")
    if not talk.asks:
        return _choice_of_options(check, before, keys)
    items = [Item(each.word, each.word, each.about) for each in RECIPES]
    talk.show(items)
    of_before = recipe_of(before.name, before.api_base)
    word = talk.type_until("Which", "--model", lambda answer: _one(choose_items(answer, items)), of_before.word)
    recipe = next(each for each in RECIPES if each.word == word)
    if recipe.word == OFFLINE:
        return ModelChoice(OFFLINE)
    is_same = recipe == of_before
    usual = before.name if is_same else recipe.model

    def take_name(answer: str) -> str:
        name = full_name(recipe, answer)
        check("model.name", name)
        return name

    name = talk.type_until("Its name", "--model", take_name, usual)
    api_base = ""
    if recipe.api_base or recipe.word == OTHER or (is_same and before.api_base):
        usual = (before.api_base if is_same else "") or recipe.api_base
        ask = "Its address" if recipe.api_base else f"Its server's address, {NONE} for the provider's own"
        api_base = talk.type_until(ask, "--model-api-base", lambda answer: _address(check, answer), usual or NONE)
    key_name = recipe.key if recipe.key and name.startswith(f"{recipe.provider}/") else key_of(name)
    if not key_name or (recipe.api_base and not recipe.key):
        return ModelChoice(name, api_base)
    return ModelChoice(name, api_base, key_name, _ask_key(talk, key_name, keys, is_needed=needs_key(name, api_base)))


def _choice_of_options(check: Check, before: ModelChoice, keys: Mapping[str, str]) -> ModelChoice:
    """Choice without a dialogue."""
    for option, key, value in (
        ("--model", "model.name", before.name),
        ("--model-api-base", "model.api_base", before.api_base),
    ):
        try:
            check(key, value)
        except ValueError as error:
            raise NobodyAskedError(f"{option}: {error}") from error
    key_name = "" if before.name == OFFLINE else key_of(before.name)
    key = keys.get(key_name, "")
    if not key and needs_key(before.name, before.api_base):
        raise NobodyAskedError(f"{key_name} must be set in the environment for --model {before.name}")
    if key and not _is_word(key):
        raise NobodyAskedError(f"{key_name}: a key is one word")
    return ModelChoice(before.name, before.api_base, key_name, key)


def _one(items: tuple[Item, ...]) -> str:
    if len(items) > 1:
        raise ValueError(f"{', '.join(item.name for item in items)}: choose one")
    return items[0].id


def _address(check: Check, answer: str) -> str:
    address = "" if answer == NONE else answer
    check("model.api_base", address)
    return address


def _ask_key(talk: Talk, name: str, keys: Mapping[str, str], *, is_needed: bool) -> str:
    known = keys.get(name, "")

    def take(answer: str) -> str:
        if answer == NONE and not is_needed:
            return ""
        if not _is_word(answer):
            raise ValueError("a key is one word")
        return answer

    hints = ["hidden", *(["Enter keeps the present one"] if known else [])]
    if not is_needed:
        hints.append(f"{NONE} for none" if known else "Enter for none")
    usual = known or ("" if is_needed else NONE)
    return talk.type_until(f"{name} ({'; '.join(hints)})", name, take, usual, hidden=True)


def _is_word(text: str) -> bool:
    return bool(text) and all(letter.isprintable() and not letter.isspace() for letter in text)


def reminders_step(talk: Talk, check: Check, before: str, data_root: Path) -> str:
    """Name of the reminders' file as in the settings; empty for no file."""
    talk.head(7, "The file of reminders, which you may edit too")

    def take(answer: str) -> str:
        if answer == NONE:
            return ""
        check("reminders.file", answer)
        try:
            path = data_root / Path(answer).expanduser()
        except RuntimeError:
            raise ValueError(f"{answer!r}: must not begin with the ~ of a user without a home") from None
        if path.is_dir() or path == data_root or answer.endswith("/"):
            raise ValueError(f"{answer!r} is a folder: name a file in it, such as {answer.rstrip('/')}/reminders.md")
        if not path.parent.is_dir() and path.parent != data_root:
            raise ValueError(f"{answer!r}: there is no folder {path.parent}")
        return answer

    ask = f"A path, such as a note of your vault; a relative one counts from the data root; {NONE} for none"
    return talk.type_until(ask, "--reminders", take, before or NONE)
