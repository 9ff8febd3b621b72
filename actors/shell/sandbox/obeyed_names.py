"""Obeyed names: names of files that programs run or obey without a user's order; pure.

Shells, editors, git, agents, debuggers, interpreters and package managers read files of these names in the folder of
their start or search. Files that a user runs by name (a Makefile, a test, a script of a package) are work, and not
listed.
"""

from __future__ import annotations

import re
import unicodedata

OF_SHELLS = (
    *(".bashrc", ".bash_*", ".profile", ".zsh*", ".zprofile", ".zlogin", ".zlogout", ".login", ".logout", ".cshrc"),
    *(".tcshrc", ".kshrc", ".mkshrc", ".shrc", ".xonshrc", "config.fish", ".config/fish", ".xprofile", ".xinitrc"),
    *(".xsession*", ".inputrc", ".tmux.conf", ".screenrc", ".p10k.zsh", ".zimrc", ".oh-my-zsh", ".pam_environment"),
    *(".environment", ".selected_editor", ".xserverrc", ".rhosts", ".shosts", ".forward", ".procmailrc", ".mailcap"),
    *(".config/autostart", ".config/systemd", ".config/environment.d", ".config/nushell", "*.desktop"),
)
"""Start-up files of shells, sessions and terminals."""
ON_ENTERING = (".env", ".env.local", ".envrc", ".direnv", ".direnvrc", ".rvmrc", ".autoenv*", ".mise*", "mise.toml")
"""Files that set variables, including the dynamic linker's, on entering a folder or starting a project."""
OF_VERSIONS = (
    *(".git", ".gitmodules", ".gitconfig", ".gitattributes", ".githooks", ".lfsconfig", ".hg", ".hgrc", ".svn"),
    *(".jj", ".sl", ".bzr", ".fossil-settings", ".arcconfig", ".config/git", "git~*"),
    *(".pre-commit-config.yaml", ".husky", "lefthook.y*ml", ".lefthook.y*ml", "lefthook.toml", "lefthook.json"),
    *(".lefthook", ".overcommit.yml", ".simple-git-hooks*", "simple-git-hooks.*", ".lintstagedrc*"),
)
"""Version control: hooks, filters, settings that name programs."""
OF_EDITORS = (
    *(".vscode", ".vs", ".idea", ".fleet", ".zed", ".nova", ".theia", ".devcontainer", ".devcontainer.json"),
    *("*.code-workspace", "*.sublime-project", "*.sublime-workspace", ".vimrc", "_vimrc", ".gvimrc", ".nvimrc"),
    *(".nvim.lua", ".exrc", ".lvimrc", ".local.vimrc", ".vim", ".emacs", ".emacs.d", ".spacemacs", ".dir-locals*.el"),
    *(".config/nvim", ".config/helix", ".helix", ".kakrc", ".nanorc", ".gitpod.yml", ".replit", ".idx"),
)
OF_AGENTS = (
    *(
        ".claude",
        ".claude.json",
        "claude.md",
        "claude.local.md",
        ".codex",
        ".agents",
        "agents.md",
        "agents.override.md",
    ),
    *(".gemini", "gemini.md", ".qwen", ".cursor", ".cursorrules", ".copilot", ".github/copilot-instructions.md"),
    *(".github/agents", ".github/hooks", ".github/instructions", ".github/prompts", ".github/skills", ".windsurf"),
    *(".windsurfrules", ".codeium", ".continue", ".aider*", ".roo", ".roorules*", ".roomodes", ".cline"),
    *(".clinerules*", ".kilocode*", ".kiro", ".amazonq", ".junie", ".trae", ".opencode", "opencode.json*", ".goose*"),
    *(".crush*", "crush.json", ".warp", ".factory", ".augment*", ".mcp.json", "mcp.json", ".mcp", ".srt-settings.json"),
    *("agent.toml",),
)
"""Settings, hooks, servers and instructions of agents, including this agent."""
OF_LANGUAGES = (
    *("*.pth", "*.egg-link", "sitecustomize.py", "usercustomize.py", ".pdbrc", ".pythonrc*", ".pythonstartup"),
    *(".ipython", ".jupyter", "pyvenv.cfg", ".venv", "venv", "pip.conf", ".pip", ".pydistutils.cfg", ".condarc"),
    *(".yarnrc*", ".yarn", ".pnpmfile.*", ".pnp.*", "bunfig.toml", ".npmrc", ".bundle", ".gemrc", ".irbrc", ".pryrc"),
    *(".cargo", "rust-toolchain", "rust-toolchain.toml", ".mvn", ".gradle", ".jvmopts", ".sbtopts", "nuget.config"),
    *("dotnet-tools.json", ".config/go", ".rprofile", ".renviron", ".rdata", ".ghci", ".ocamlinit", ".erlang"),
    *(".iex.exs", ".sbclrc", ".clisprc", ".racketrc", ".octaverc", ".julia", ".tclshrc", ".wishrc", ".perldb"),
    *(".gnuplot", ".user.ini", ".htaccess", "ansible.cfg", ".ansible"),
)
"""Interpreters, package managers and build tools that read a file of the folder at every start."""
OF_TOOLS = (
    *(".gdbinit", ".gdbearlyinit", ".lldbinit", ".radare2rc", ".sqliterc", ".psqlrc", ".mongorc.js", ".mongoshrc.js"),
    *(".ripgreprc", ".ackrc", ".lesskey", ".lessfilter", ".wgetrc", ".curlrc", ".muttrc", ".mailrc"),
    *("ld.so.preload", "ld.so.conf"),
)
PROTECTED = (*OF_SHELLS, *ON_ENTERING, *OF_VERSIONS, *OF_EDITORS, *OF_AGENTS, *OF_LANGUAGES, *OF_TOOLS)
"""Read-only whatever was allowed; `*` stands for anything, and a name with a slash counts in a folder of that name."""
RESERVED_FOLDERS = (".git", ".vscode", ".idea", ".claude", ".codex", ".agents", ".gemini", ".cursor")
"""Folders watched by programs: a folder of this name would be obeyed while its command still runs."""
_IGNORABLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e0fff]"
)
"""Characters ignored by file systems that fold names."""


def is_obeyed(name: str, folder: str) -> bool:
    """True if programs run or obey the name `name`, in a folder called `folder`."""
    name = _fold_name(name)
    path = f"{_fold_name(folder)}/{name}"
    return name in _NAMES or path in _PATHS or _WILDCARDS(name) is not None


def _fold_name(name: str) -> str:
    """Name as seen by file systems that ignore case, invisible characters, or trailing dots."""
    if not name.isascii():
        name = _IGNORABLE.sub("", unicodedata.normalize("NFD", name)).casefold()
    return name.lower().partition(":")[0].rstrip(". ") or name


_NAMES = frozenset(name for name in PROTECTED if "*" not in name and "/" not in name)
_PATHS = frozenset(name for name in PROTECTED if "/" in name)
_FORMS = [re.escape(name).replace(r"\*", ".*") for name in PROTECTED if "*" in name and "/" not in name]
_WILDCARDS = re.compile("|".join(_FORMS), re.DOTALL).fullmatch
