"""`agent completion`: script for a shell to complete commands, options and windows; and the list of windows."""

from __future__ import annotations

import contextlib
import io
from pathlib import Path

import click
from click.shell_completion import CompletionItem, get_completion_class

SHELLS = ("bash", "zsh", "fish")
MOST_WINDOWS = 200


class WindowKey(click.ParamType[str]):
    """Key of a window, such as discord-thread/123456789012345678, completed from the windows with logs."""

    name = "window"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The key itself; an empty key stands for no window."""
        from messages.base import Window

        try:
            return Window.from_key(value).address.key if value else ""
        except ValueError as error:
            self.fail(str(error), param, ctx)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:  # noqa: ARG002
        """Windows whose keys begin as `incomplete` does, the most recently written first."""
        with contextlib.redirect_stderr(io.StringIO()), contextlib.suppress(SystemExit, OSError):
            return [CompletionItem(key) for key in _known_windows(ctx) if key.startswith(incomplete)][:MOST_WINDOWS]
        return []


def _known_windows(ctx: click.Context) -> list[str]:
    from actors.cli.common import load_settings
    from actors.context.log.scan import window_folders

    data = ctx.params.get("data")
    settings, _ = load_settings(
        ctx.params.get("config_file"), {"data_root": str(Path(data).absolute())} if data else {}
    )
    windows = [
        (-Path(folder).stat().st_mtime_ns, window.address.key)
        for window, folder in window_folders(settings.data_root / "logs")
    ]
    return [key for _, key in sorted(windows)]


@click.command()
@click.argument("shell", type=click.Choice(SHELLS))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Print the script for SHELL to complete commands, options, files and windows.

    bash: add it to ~/.bashrc by `agent completion bash >> ~/.bashrc`, likewise zsh and ~/.zshrc; fish: write the script
    to ~/.config/fish/completions/agent.fish.
    """
    root = ctx.find_root()
    kind = get_completion_class(shell)
    if kind is None:
        raise click.UsageError(f"shell {shell!r}: one of {', '.join(SHELLS)} is required")
    program = root.info_name or "agent"
    words = kind(root.command, {}, program, f"_{program.replace('-', '_').upper()}_COMPLETE")
    click.echo(words.source_template % words.source_vars())
