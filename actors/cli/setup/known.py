"""Settings and secrets from before a setup; and the rule for each value."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from actors.cli.common import left_out_sentence
from actors.cli.setup.writing import WriteError, read_plain
from actors.linux.private_folder import TemporaryFolder
from actors.parts import settings_tables
from actors.settings.load import CONFIG_VARIABLE, FILE_NAME, load
from actors.settings.problem import SettingsError
from actors.settings.schema import Settings
from actors.settings.secret import FILE_VARIABLE, Secrets, secrets_path
from actors.settings.trust import UserTrust

NOTHING: Mapping[str, object] = MappingProxyType({})


class Known:
    """Settings and secrets in force; each file may be missing."""

    def __init__(self, config: Path, *, is_named: bool = True) -> None:
        """Read the settings and the secrets; the secrets leave the environment.

        Args:
            config: The settings file, absolute; an existing file is read.
            is_named: False if the caller has not named the file, so an existing file must be trusted.

        Raises:
            SettingsError: an existing file is bad.
            WriteError: a file is a link, cannot be read, or is not trusted.
        """
        secrets = secrets_path(os.environ, config.parent)
        assert secrets is not None  # a folder is given
        self.config, self.secrets_file = config, secrets.absolute()
        self.text = read_plain(config)
        self.secrets_text = read_plain(self.secrets_file)
        if not is_named:
            _require_trust(config, self.secrets_file)
        self.settings = self.with_values(NOTHING)
        self.secrets = _take_secrets(config.parent, is_there=self.secrets_file.exists())

    def with_values(self, overrides: Mapping[str, object]) -> Settings:
        """Settings with other values, by dotted key.

        Raises:
            SettingsError: the new settings would be bad.
        """
        if self.config.exists():
            return _load_settings(self.config, self.config.parent, overrides)
        with TemporaryFolder("agent-setup-") as empty:  # no other file of the folder's is to be read
            path = Path(empty) / FILE_NAME
            path.touch()
            return _load_settings(path, self.config.parent, overrides)

    def check(self, key: str, value: object) -> None:
        """Check that a setting may have a value.

        Raises:
            ValueError: the value is invalid; names value and rule.
        """
        try:
            self.with_values({key: value})
        except SettingsError as error:
            raise ValueError(str(error).removeprefix("command line: ")) from error

    def require_loadable(self, text: str) -> None:
        """Check that settings about to be written can be loaded.

        Raises:
            WriteError: the settings cannot be loaded; gives the reason.
        """
        with TemporaryFolder("agent-setup-") as folder:
            draft = Path(folder) / self.config.name
            draft.write_text(text, "utf-8")
            try:
                _load_settings(draft, self.config.parent, NOTHING)
            except SettingsError as error:
                raise WriteError(str(error).replace(str(draft), str(self.config))) from error


def _require_trust(config: Path, secrets_file: Path) -> None:
    """Check that a setup keeps, and sends a token by, only settings named or trusted by the user.

    Args:
        config: The settings file, present or not.
        secrets_file: The secrets file, likewise.

    Raises:
        SettingsError: a trusted file is bad.
        WriteError: a file is not trusted.
    """
    trust = UserTrust(os.environ)
    settings, secrets = Settings(), Secrets({}, {})
    if config.exists():
        settings = load(environ=os.environ, tables=settings_tables(), trust=trust)
    if secrets_file.exists():
        secrets = Secrets.take(dict(os.environ), config.parent, trust)
    if sentence := left_out_sentence(settings, secrets):
        raise WriteError(sentence)


def _take_secrets(folder: Path, *, is_there: bool) -> Secrets:
    if is_there:
        return Secrets.take(os.environ, folder)
    named = os.environ.pop(FILE_VARIABLE, None)  # a file that is to be made
    try:
        return Secrets.take(os.environ)
    finally:
        if named is not None:
            os.environ[FILE_VARIABLE] = named


def _load_settings(path: Path, folder: Path, overrides: Mapping[str, object]) -> Settings:
    environ = {name: value for name, value in os.environ.items() if name != CONFIG_VARIABLE}
    return load(path, environ=environ, folder=folder, overrides=overrides, tables=settings_tables())
