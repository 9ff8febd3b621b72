"""Parts of a folder that do not count, because its user has not trusted them, and the one sentence about them."""

from __future__ import annotations

from dataclasses import dataclass, replace

from actors.settings.problem import quote_text

_NAMED = 4
"""Settings that are named; the others are counted, for a hostile file may hold hundreds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """Parts of a folder that do not count; empty where all of it does."""

    file: str = ""
    """Name of the settings file, if something of it does not count."""
    keys: tuple[str, ...] = ()
    """Its settings that do not count, by dotted key; only keys of the schema, so that none can mislead a terminal."""
    others: int = 0
    """Further keys, which are no settings."""
    fault: str = ""
    """Reason why nothing of the file counts, not even what is harmless."""
    secrets: str = ""
    """Name of the secrets file, if it does not count."""
    data: str = ""
    """Name of the data root, if its skills, memory and logs do not count."""
    changed: str = ""
    """Name of a file that was trusted with another content."""
    trouble: str = ""
    """Reason why the list of trusted files cannot be read."""

    def __bool__(self) -> bool:
        """True if something does not count."""
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
        """One line for people: the parts that do not count, and the way to change that.

        Args:
            agent: The command that starts the agent, as it can be typed.
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
    """`text` as it may stand in a line for a terminal."""
    return text if text.isprintable() else quote_text(text)
