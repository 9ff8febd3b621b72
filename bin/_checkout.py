"""What a checkout that is set up has, and where: its .venv, the stamps in it, the locks; asked before every command.

Like _launch.py, every Python 3 can read it, and it imports nothing that Python has not loaded already.
"""

import os

_OF_PYTHON = (
    *("PYTHONASYNCIODEBUG", "PYTHONCOERCECLOCALE", "PYTHONDEVMODE", "PYTHONDONTWRITEBYTECODE", "PYTHONFAULTHANDLER"),
    *("PYTHONHASHSEED", "PYTHONIOENCODING", "PYTHONMALLOC", "PYTHONTRACEMALLOC", "PYTHONUNBUFFERED", "PYTHONUTF8"),
)
"""How Python reports and keeps memory."""
_OF_PIP = (
    *("PIP_CACHE_DIR", "PIP_CERT", "PIP_CLIENT_CERT", "PIP_DEFAULT_TIMEOUT", "PIP_EXTRA_INDEX_URL", "PIP_FIND_LINKS"),
    *("PIP_INDEX_URL", "PIP_NO_CACHE_DIR", "PIP_NO_INDEX", "PIP_PROXY", "PIP_RETRIES", "PIP_TIMEOUT"),
    "PIP_TRUSTED_HOST",
)
"""Where pip finds packages: the locks' hashes say which they may be."""
PASSED_ON = frozenset([*_OF_PYTHON, *_OF_PIP])
SETS_UP = PASSED_ON.union(
    ["PATH", "LD_LIBRARY_PATH", "HOME", "USER", "LOGNAME", "TMPDIR", "TZ", "TERM", "LANG", "LANGUAGE"],
    ["SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "XDG_CACHE_HOME"],
    ["UV_CACHE_DIR", "UV_DEFAULT_INDEX", "UV_HTTP_TIMEOUT", "UV_INDEX_URL"],
)
"""What pip, the compiler and uv are told, beside the language and the proxies; no program is named in any of it."""
_BRINGS_CODE = ("PYTHON", "_PYTHON", "__PYVENV", "PIP_", "LD_", "OPENSSL_", "GCONV_PATH", "BASH_ENV", "BASH_FUNC_")
_PROXIES = ("all_proxy", "ftp_proxy", "http_proxy", "https_proxy", "no_proxy")
_FOLDERS = ("PATH", "LD_LIBRARY_PATH")


def is_current(root: str, layer: str) -> bool:
    """Whether `layer`'s lock and the Python under .venv are, by size, time and path, those of the last set-up."""
    try:
        with open(stamp_path(root, layer)) as stamp:
            return stamp.readline() == fingerprint(root, [lock_path(root, layer)]) and os.path.exists(venv_python(root))
    except OSError:
        return False


def is_built(root: str) -> bool:
    """Whether what is compiled was built, or could not be, from its sources as they are by size and time.

    The stamp's lines: its fingerprint, what it was built from, and where each library is that could be built.
    """
    sources = build_sources(root)
    if len(sources) == 1:
        return True
    try:
        with open(stamp_path(root, "compiled")) as stamp:
            is_same = stamp.readline() == fingerprint(root, sources)
            libraries = stamp.read().splitlines()[1:]
    except OSError:
        return False
    return is_same and all(os.path.exists(os.path.join(root, library)) for library in libraries)


def build_sources(root: str) -> "list[str]":
    """What the memory's search and the local model's vectors are built from; setup.py, which is the last, says how."""
    folders = [os.path.join(root, "actors", *folder) for folder in (("memory", "codes"), ("embedder", "encoder"))]
    files = [os.path.join(folder, name) for folder in folders if os.path.isdir(folder) for name in os.listdir(folder)]
    return [*sorted(file for file in files if file.endswith((".c", ".h"))), os.path.join(root, "setup.py")]


def fingerprint(root: str, files: "list[str]") -> str:
    """The line that changes whenever what is made of `files` may have to be made anew; cheap to make."""
    states = [os.stat(file) for file in files]
    sizes_and_times = " ".join(f"{state.st_size} {state.st_mtime_ns}" for state in states)
    return f"{sizes_and_times} {os.path.realpath(venv_python(root))}\n"


def lock_path(root: str, layer: str) -> str:
    """Where the requirements of `layer` are written down."""
    return os.path.join(root, "requirements.lock" if layer == "run" else f"requirements-{layer}.lock")


def stamp_path(root: str, layer: str) -> str:
    """Where a finished set-up of `layer`, or of "compiled", what is compiled, is noted."""
    return os.path.join(root, ".venv", f"{layer}.stamp")


def venv_python(root: str) -> str:
    """The Python of the checkout at `root`."""
    return os.path.join(root, ".venv", "bin", "python")


def clean_environ() -> "dict[str, str]":
    """The environment of the agent: nothing in it adds code to Python's own and ours, or loosens what pip is told.

    Of Python's and pip's variables only `PASSED_ON` are left; programs and libraries are found in absolute folders.
    """
    environ = {
        name: value
        for name, value in os.environ.items()
        if name in PASSED_ON or name in _FOLDERS or not name.startswith(_BRINGS_CODE)
    }
    for name in _FOLDERS:
        if name in environ:
            environ[name] = os.pathsep.join(filter(os.path.isabs, environ[name].split(os.pathsep)))
            if not environ[name]:  # which would mean the folder that the user stands in
                del environ[name]
    environ.setdefault("PATH", os.defpath)
    return environ


def set_up_environ() -> "dict[str, str]":
    """The environment of a set-up's programs: `SETS_UP`, the language, the proxies, and no file of pip's settings."""
    environ = {
        name: value
        for name, value in clean_environ().items()
        if name in SETS_UP or name.startswith("LC_") or name.lower() in _PROXIES
    }
    environ["PIP_CONFIG_FILE"] = os.devnull
    return environ
