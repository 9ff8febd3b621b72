"""Ignored parts of a folder that its user has not trusted, and the single sentence about them."""

from __future__ import annotations

from dataclasses import dataclass, replace

from actors.settings.problem import quote_text

_NAMED = 4
"""Most settings named; further settings are counted, for a hostile file may hold hundreds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """Ignored parts of a folder; empty for a folder that counts in full."""

    file: str = ""
    """Name of the settings file, if a part of the file does not count."""
    keys: tuple[str, ...] = ()
    """Ignored settings, by dotted key; only keys of the schema, so no key can mislead a terminal."""
    others: int = 0
    """Number of further keys, unknown as settings."""
    fault: str = ""
    """Reason to ignore the whole file, even its harmless settings."""
    secrets: str = ""
    """Name of the secrets file, if ignored."""
    data: str = ""
    """Name of the data root, if its skills, memory and logs are ignored."""
    changed: str = ""
    """Name of a file trusted with other content."""
    trouble: str = ""
    """Reason why the list of trusted files cannot be read."""

    def __bool__(self) -> bool:
        """True if any part is ignored."""
        return bool(self.file or self.secrets or self.data)

    def join_secrets(self, of_secrets: LeftOut, data: str) -> LeftOut:
        """Parts of both, with the data root."""
        return replace(
            self,
            secrets=of_secrets.secrets,
            data=data,
            changed=self.changed or of_secrets.changed,
            trouble=self.trouble or of_secrets.trouble,
        )

    def sentence(self, agent: str) -> str:
        """Line for people: the ignored parts, and the way to change this.

        Args:
            agent: The command to start the agent, ready to type.
        """
        parts = [f"of {_safe(self.file)} {self._settings()}"] if self.file else []
        parts += [_safe(name) for name in (self.secrets, self.data) if name]
        why = (
            f"{_safe(self.changed)} has changed since it was trusted" if self.changed else "this folder is not trusted"
        )
        trouble = f" ({_safe(self.trouble)})" if self.trouble else ""
        return (
            f"{why}{trouble}; left out: {'; '.join(parts)}. "
            f"After a look at it run `{agent} trust`, or name a settings file by --config"
        )

    def _settings(self) -> str:
        if self.fault:
            return f"everything ({_safe(self.fault)})"
        named = list(self.keys[:_NAMED])
        more = len(self.keys) - len(named)
        if more:
            named.append(f"{more} more settings" if more > 1 else "1 more setting")
        if self.others:
            named.append(f"{self.others} unknown keys" if self.others > 1 else "1 unknown key")
        return ", ".join(named)


def _safe(text: str) -> str:
    """`text` in a form safe for a line in a terminal."""
    return text if text.isprintable() else quote_text(text)
