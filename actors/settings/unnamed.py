"""Settings file found in the folder of a command, not named by its user: only the trusted part counts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from actors.settings.document import Document, parse, read_content
from actors.settings.harmless import harmless_values, other_keys
from actors.settings.left_out import LeftOut
from actors.settings.problem import SettingsError
from actors.settings.schema import Settings
from actors.settings.trust import Trust, digest_of
from domain.policy.folder_trust import Standing

FILE_NAME = "agent.toml"
CONFIG_VARIABLE = "AGENT_CONFIG"


@dataclass(frozen=True, slots=True)
class Unnamed:
    """Settings file of a folder, as far as it counts."""

    document: Document
    left_out: LeftOut
    is_trusted: bool


def settings_file(config: Path | None, environ: Mapping[str, str]) -> tuple[Path, bool]:
    """Path of the settings file, and True if the caller named the file.

    A relative path in the variable does not count as named: the path would depend on the folder of the call.
    """
    if config is not None:
        return config, True
    path = Path(environ.get(CONFIG_VARIABLE) or FILE_NAME)
    return path, path.is_absolute()


def read_unnamed(
    path: Path, place: str, schema: type[Settings], trust: Trust, *, fault_of: Callable[[Document], str]
) -> Unnamed:
    """File at `path` as far as it counts; read once, so the judged bytes are the bytes in force.

    Args:
        path: Path of the file.
        place: The file as the operator named it.
        schema: Schema of all settings.
        trust: Standing of files with the user.
        fault_of: Reason why a document's values are no settings; empty for valid settings.

    Raises:
        SettingsError: the file is trusted and isn't TOML, or is missing and not the usual file.
    """
    is_usual = place == FILE_NAME
    try:
        content = read_content(path, place, required=not is_usual)
    except SettingsError as error:
        if not is_usual:
            raise
        return Unnamed(Document(place, path.absolute()), LeftOut(file=place, fault=str(error)), is_trusted=False)
    standing = trust.standing(path, digest_of(content))
    is_trusted = standing is Standing.TRUSTED
    if content is None:
        return Unnamed(Document(place), LeftOut(), is_trusted)
    if is_trusted:
        return Unnamed(parse(content, path, place), LeftOut(), is_trusted)
    changed = place if standing is Standing.CHANGED else ""
    try:
        whole = parse(content, path, place)
        fault = ""
    except SettingsError as error:
        whole, fault = Document(place, path.absolute()), str(error)
    harmless = Document(place, whole.path, harmless_values(whole.values), whole.lines)
    if fault := fault or fault_of(harmless):
        nothing = Document(place, whole.path)
        return Unnamed(nothing, LeftOut(file=place, fault=fault, changed=changed, trouble=trust.trouble), is_trusted)
    keys, others = other_keys(whole.values, schema)
    if not keys and not others:
        return Unnamed(harmless, LeftOut(), is_trusted)
    left_out = LeftOut(file=place, keys=keys, others=others, changed=changed, trouble=trust.trouble)
    return Unnamed(harmless, left_out, is_trusted)


def is_trusted_folder(folder: Path, trust: Trust) -> bool:
    """True if the user trusts `folder` with its settings file, or without a settings file."""
    path = folder / FILE_NAME
    try:
        content = read_content(path, FILE_NAME, required=False)
    except SettingsError:
        return False
    return trust.standing(path, digest_of(content)) is Standing.TRUSTED
