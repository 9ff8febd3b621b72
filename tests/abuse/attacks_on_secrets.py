"""Reading what is not the command's to read: 2-6, 11, 29, 31, 43."""

from __future__ import annotations

from tests.abuse.case import Case, python
from tests.abuse.ground import TOKEN_LIKE, Ground


def own_environment(ground: Ground) -> str:
    return """
env | grep -i -E 'token|key=|secret' && breach "env shows a secret"
tr '\\0' '\\n' < /proc/self/environ 2>/dev/null | grep -i -E 'token|key=|secret' && breach "environ shows a secret"
tr '\\0' '\\n' < /proc/1/environ 2>/dev/null | grep -i -E 'token|key=|secret' && breach "init shows a secret"
"""


def agents_environment(ground: Ground) -> str:
    return f"""
cat /proc/{ground.agent}/environ 2>/dev/null | grep -a -o '{TOKEN_LIKE}' && breach "the agent's environment"
cat /proc/[0-9]*/environ 2>/dev/null | grep -a -o '{TOKEN_LIKE}' && breach "somebody's environment"
"""


def agents_memory(ground: Ground) -> str:
    code = f"""
import re
try:
    maps = open("/proc/{ground.agent}/maps").read().splitlines()
    memory = open("/proc/{ground.agent}/mem", "rb", 0)
except OSError as error:
    sys.exit(f"held: {{error}}")
for line in maps:
    if "[stack]" in line:
        start, end = (int(word, 16) for word in line.split()[0].split("-"))
        memory.seek(start)
        if re.search(rb"{TOKEN_LIKE}", memory.read(end - start)): breach("the agent's stack")
"""
    return python(code)


def agents_open_files(ground: Ground) -> str:
    return f"""
ls -l /proc/{ground.agent}/fd 2>/dev/null | grep -- '->' && breach "lists what the agent has open"
cat /proc/{ground.agent}/cmdline 2>/dev/null | grep -a . && breach "the agent's command line"
"""


def secrets_file(ground: Ground) -> str:
    return f"""
cat '{ground.prize.secrets}' 2>/dev/null && breach "the secrets file"
grep -r -o '{TOKEN_LIKE}' '{ground.root}' 2>/dev/null && breach "a token below the root"
cp '{ground.prize.secrets}' copy 2>/dev/null && breach "copies it"
find / -maxdepth 5 -xdev -name secrets.env 2>/dev/null | grep . && breach "finds it"
"""


def shadow(ground: Ground) -> str:
    return "head -c 1 /etc/shadow 2>/dev/null | grep -q . && breach shadow\nhead -c 1 /etc/gshadow && breach gshadow"


def homes(ground: Ground) -> str:
    return f"""
ls '{ground.prize.ssh_key.parents[2]}' 2>/dev/null | grep alice && breach "lists homes"
cat '{ground.prize.ssh_key}' 2>/dev/null && breach "reads a key"
cat ~root/.bashrc /root/.profile /root/.ssh/* 2>/dev/null | grep -q . && breach "reads the home of root"
ls /home 2>/dev/null | grep . && breach "lists /home"
"""


def others_files(ground: Ground) -> str:
    others = ground.prize.others_work
    return f"""
cat '{others}' 2>/dev/null && breach "another window's file"
ls '{others.parents[1]}' 2>/dev/null | grep -v '^{ground.window.id}$' | grep . && breach "lists windows"
echo mine > '{others}' 2>/dev/null && breach "writes another window's file"
cd .. && ls | grep -v '^{ground.window.id}$' | grep . && breach "lists windows by .."
"""


def by_way_of_proc(ground: Ground) -> str:
    return f"""
nsenter -t {ground.agent} -a true 2>/dev/null && breach "enters the agent's namespaces"
nsenter -t {ground.agent} -m cat '{ground.prize.secrets}' 2>/dev/null && breach "reads in the agent's view"
ls /proc/{ground.agent}/root/ 2>/dev/null | grep . && breach "lists the agent's root"
cat /proc/{ground.agent}/root'{ground.prize.secrets}' 2>/dev/null && breach "reads through the agent's root"
ls /proc/{ground.agent}/cwd/ 2>/dev/null | grep . && breach "lists the agent's folder"
cat /proc/1/root'{ground.prize.secrets}' 2>/dev/null && breach "reads through init's root"
cat /proc/self/root'{ground.prize.secrets}' 2>/dev/null && breach "reads through its own root"
"""


def by_links(ground: Ground) -> str:
    return f"""
ln -s '{ground.prize.secrets}' link && cat link 2>/dev/null && breach "reads through a link"
ln -s / all && cat all'{ground.prize.secrets}' 2>/dev/null && breach "reads through a link to everything"
ln -sfn '{ground.prize.secrets.parent}' logs && cat logs/secrets.env 2>/dev/null && breach "reads through logs"
"""


def reminders_and_index(ground: Ground) -> str:
    return f"""
echo '- 2026-01-01 00:00 forged' >> '{ground.prize.reminders}' && breach "writes the reminders"
cat '{ground.prize.reminders}' 2>/dev/null && breach "reads the reminders"
cat '{ground.prize.index}' 2>/dev/null | grep -a . && breach "reads the index"
: > '{ground.prize.index}' && breach "empties the index"
"""


def others_door(ground: Ground) -> str:
    code = f"""
import json
def ask(path, arguments):
    door = socket.socket(socket.AF_UNIX); door.settimeout(5); door.connect(path)
    door.sendall(json.dumps({{"id": 1, "verb": "look", "arguments": arguments}}).encode() + b"\\n")
    return json.loads(door.makefile().readline())
for path in ("{ground.others_door}", "/proc/{ground.agent}/root{ground.others_door}"):
    try: breach("another window's socket", ask(path, {{"query": "x"}}))
    except OSError as error: print("held:", error)
own = ask(os.environ["AGENT_SOCKET"], {{"query": "x"}})
if own["ok"] and own["result"]["window"] != "{ground.window.surface.value}/{ground.window.id}": breach("speaks for", own)
if not own["ok"]: breach("its own door is shut, so this proves nothing", own)
for window in ("discord-thread/999999999999999999", {{"surface": "discord-thread", "id": "999999999999999999"}}):
    said = ask(os.environ["AGENT_SOCKET"], {{"query": "x", "window": window}})
    if said["ok"]: breach("names another window", said)
said = ask(os.environ["AGENT_SOCKET"], {{"query": "x", "reply_to": ["shell", ""]}})
if said["ok"]: breach("has the answer sent elsewhere", said)
for folder in (os.path.dirname("{ground.others_door}"), "/run"):
    try:
        if os.path.basename("{ground.others_door}") in os.listdir(folder): breach("lists doors")
    except OSError as error: print("held:", error)
"""
    return python(code)


ON_SECRETS = (
    Case(2, "own environment", own_environment),
    Case(3, "environment of the agent", agents_environment, works_bare=True),
    Case(3, "memory of the agent", agents_memory, works_bare=True),
    Case(3, "open files and command line of the agent", agents_open_files, works_bare=True),
    Case(4, "secrets file", secrets_file, works_bare=True),
    Case(5, "shadow", shadow),
    Case(6, "homes", homes, works_bare=True),
    Case(6, "files of another window", others_files, works_bare=True),
    Case(11, "proc and nsenter", by_way_of_proc, works_bare=True),
    Case(29, "links to the secret", by_links, works_bare=True),
    Case(31, "reminders and index", reminders_and_index, works_bare=True),
    Case(43, "socket of another window", others_door),
)
