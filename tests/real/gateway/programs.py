"""Programs that people use as clients: each runs its ways of asking, and prints a line with the answer for each."""

from __future__ import annotations

import sys
from dataclasses import dataclass

WORDS = "My cabin lies at the fjørd"
_HEAD = """
import asyncio, json, os, sys
BASE, WORDS = os.environ["BASE"], os.environ["WORDS"]
BODY = {"model": "m", "messages": [{"role": "user", "content": WORDS}]}
def url(name): return f"{BASE}/{name}/chat/completions"
def body(stream=False): return json.dumps({**BODY, "stream": True} if stream else BODY).encode()
def text(data): return json.loads(data)["choices"][0]["message"]["content"]
def delta(line):
    line = line if isinstance(line, str) else line.decode()
    data = line.removeprefix("data: ").strip()
    return json.loads(data)["choices"][0]["delta"].get("content") or "" if data.startswith("{") else ""
def tell(name, said): print(name, said, sep="\\t", flush=True)
JSON = {"Content-Type": "application/json"}
"""
_STANDARD = """
import http.client, socket, urllib.parse, urllib.request
tell("urllib", text(urllib.request.urlopen(urllib.request.Request(url("urllib"), body(), JSON)).read()))
parts = urllib.parse.urlsplit(BASE)
kept = http.client.HTTPConnection(parts.hostname, parts.port)
for name in ("http.client", "http.client-again"):
    kept.request("POST", urllib.parse.urlsplit(url(name)).path, body(), JSON)
    tell(name, text(kept.getresponse().read()))
pieces = iter((body()[:9], body()[9:]))
kept.request("POST", urllib.parse.urlsplit(url("http.client-chunked")).path, pieces, JSON, encode_chunked=True)
tell("http.client-chunked", text(kept.getresponse().read()))
kept.close()
with socket.create_connection((parts.hostname, parts.port)) as plain:
    path = urllib.parse.urlsplit(url("http-1.0")).path
    plain.sendall(f"POST {path} HTTP/1.0\\r\\nHost: {parts.netloc}\\r\\nContent-Length: {len(body())}\\r\\n\\r\\n".encode() + body())
    tell("http-1.0", text(b"".join(iter(lambda: plain.recv(65536), b"")).split(b"\\r\\n\\r\\n", 1)[1]))
"""
_REQUESTS = """
import requests, urllib3
tell("requests", text(requests.post(url("requests"), json=BODY).content))
with requests.Session() as session, session.post(url("requests-stream"), data=body(True), stream=True) as answer:
    tell("requests-stream", "".join(map(delta, answer.iter_lines())))
with urllib3.PoolManager() as pool:
    tell("urllib3", text(pool.request("POST", url("urllib3"), body=body(), headers=JSON).data))
"""
_HTTPX = """
import httpx
tell("httpx", text(httpx.post(url("httpx"), json=BODY).content))
async def main():
    async with httpx.AsyncClient() as client, client.stream("POST", url("httpx-stream"), content=body(True)) as answer:
        tell("httpx-stream", "".join([delta(line) async for line in answer.aiter_lines()]))
asyncio.run(main())
"""
_AIOHTTP = """
import aiohttp
async def main():
    async with aiohttp.ClientSession() as session:
        async with session.post(url("aiohttp"), json=BODY) as answer:
            tell("aiohttp", text(await answer.read()))
        async with session.post(url("aiohttp-stream"), data=body(True)) as answer:
            tell("aiohttp-stream", "".join([delta(line) async for line in answer.content]))
asyncio.run(main())
"""
_OPENAI = """
import openai
def client(name, kind=openai.OpenAI, **more): return kind(base_url=f"{BASE}/{name}", api_key="none", **more)
def ask(name, **more): return client(name).chat.completions.create(**BODY, **more)
def joined(chunks): return "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
tell("openai", ask("openai").choices[0].message.content)
tell("openai-stream", joined(ask("openai-stream", stream=True, stream_options={"include_usage": True})))
raw = client("openai-raw").chat.completions.with_raw_response.create(**BODY)
tell("openai-raw", raw.parse().choices[0].message.content)
with client("openai-streaming").chat.completions.with_streaming_response.create(**BODY) as answer:
    tell("openai-streaming", text(answer.read()))
tell("openai-parse", client("openai-parse").chat.completions.parse(**BODY).choices[0].message.content)
with client("openai-helper").chat.completions.stream(**BODY) as events:
    tell("openai-helper", events.get_final_completion().choices[0].message.content)
named = client("", default_headers={"X-Memory-Id": "openai-header"})
named.base_url = BASE
tell("openai-header", named.chat.completions.create(**BODY).choices[0].message.content)
async def main():
    async with client("openai-async", openai.AsyncOpenAI) as one, client("openai-async-stream", openai.AsyncOpenAI) as two:
        tell("openai-async", (await one.chat.completions.create(**BODY)).choices[0].message.content)
        chunks = await two.chat.completions.create(**BODY, stream=True)
        tell("openai-async-stream", joined([chunk async for chunk in chunks]))
asyncio.run(main())
"""
_LITELLM = """
os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
import litellm
def ask(name, **more):
    return {"model": "openai/m", "messages": BODY["messages"], "api_base": f"{BASE}/{name}", "api_key": "none", **more}
tell("litellm", litellm.completion(**ask("litellm")).choices[0].message.content)
chunks = litellm.completion(**ask("litellm-stream"), stream=True)
tell("litellm-stream", "".join(chunk.choices[0].delta.content or "" for chunk in chunks))
tell("litellm-async", asyncio.run(litellm.acompletion(**ask("litellm-async"))).choices[0].message.content)
"""
_CURL = r"""
BODY="{\"model\": \"m\", \"messages\": [{\"role\": \"user\", \"content\": \"$WORDS\"}]}"
STREAM="{\"model\": \"m\", \"stream\": true, \"messages\": [{\"role\": \"user\", \"content\": \"$WORDS\"}]}"
content() { sed -n 's/.*"content": *"\([^"]*\)".*/\1/p' | tr -d '\n'; }
ask() { name=$1; shift; printf '%s\t%s\n' "$name" "$(curl -sS "$BASE/$name/chat/completions" "$@" | content)"; }
ask curl -H 'Content-Type: application/json' -d "$BODY"
ask curl-stream -N -d "$STREAM"
ask curl-1.0 --http1.0 -d "$BODY"
ask curl-chunked -H 'Transfer-Encoding: chunked' -d "$BODY"
ask curl-expect -H 'Expect: 100-continue' -d "$BODY"
ask curl-compressed --compressed -d "$BODY"
ask curl-get-like -X POST --data-binary "$BODY" -H 'Content-Type: text/plain' -H 'Accept:'
"""
_WGET = r"""
BODY="{\"model\": \"m\", \"messages\": [{\"role\": \"user\", \"content\": \"$WORDS\"}]}"
said=$(wget -q -O - --post-data "$BODY" --header 'Content-Type: application/json' "$BASE/wget/chat/completions")
printf 'wget\t%s\n' "$(printf %s "$said" | sed -n 's/.*"content": *"\([^"]*\)".*/\1/p')"
"""
_BASH = r"""
BODY="{\"model\": \"m\", \"messages\": [{\"role\": \"user\", \"content\": \"$WORDS\"}]}"
place=${BASE#http://}; host=${place%%/*}; path=/${place#*/}
exec 3<>"/dev/tcp/${host%:*}/${host#*:}"
LC_ALL=C; printf 'POST %s HTTP/1.1\r\nhost: %s\r\nconnection: close\r\ncontent-length: %d\r\n\r\n%s' "$path/bash/chat/completions" "$host" "${#BODY}" "$BODY" >&3
printf 'bash\t%s\n' "$(sed -n 's/.*"content": *"\([^"]*\)".*/\1/p' <&3)"
"""
_NODE = """
const http = require("http"), {BASE, WORDS} = process.env;
const ask = more => JSON.stringify({model: "m", messages: [{role: "user", content: WORDS}], ...more});
const url = name => `${BASE}/${name}/chat/completions`, tell = (name, said) => console.log(`${name}\\t${said}`);
const text = answer => answer.choices[0].message.content;
const post = (name, agent) => new Promise(done => {
  const request = http.request(url(name), {method: "POST", agent}, response => {
    let data = ""; response.on("data", piece => data += piece); response.on("end", () => done(text(JSON.parse(data))));
  });
  request.write(ask()); request.end();
});
(async () => {
  const headers = {"Content-Type": "application/json"};
  tell("node-fetch", text(await (await fetch(url("node-fetch"), {method: "POST", headers, body: ask()})).json()));
  const streamed = await fetch(url("node-fetch-stream"), {method: "POST", headers, body: ask({stream: true})});
  let data = ""; for await (const piece of streamed.body) data += Buffer.from(piece).toString();
  const events = data.split("\\n").filter(line => line.startsWith("data: {")).map(line => JSON.parse(line.slice(6)));
  tell("node-fetch-stream", events.map(each => each.choices[0].delta.content || "").join(""));
  const agent = new http.Agent({keepAlive: true});
  for (const name of ["node-http", "node-http-again"]) tell(name, await post(name, agent));
  agent.destroy();
})();
"""
_JAVA = r"""
import java.net.*; import java.net.http.*; import java.nio.charset.StandardCharsets; import java.util.regex.*;
class Main {
  static final String BASE = System.getenv("BASE"), BODY = "{\"model\": \"m\", \"messages\": [{\"role\": \"user\", "
      + "\"content\": \"My cabin lies at the fj\u00f8rd\"}]}";
  static void tell(String name, String data) {
    Matcher found = Pattern.compile("\"content\": *\"([^\"]*)\"").matcher(data);
    System.out.println(name + "\t" + (found.find() ? found.group(1) : data));
  }
  static URI url(String name) { return URI.create(BASE + "/" + name + "/chat/completions"); }
  public static void main(String[] arguments) throws Exception {
    HttpRequest request = HttpRequest.newBuilder(url("java")).header("Content-Type", "application/json")
        .POST(HttpRequest.BodyPublishers.ofString(BODY)).build();
    tell("java", HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString()).body());
    HttpURLConnection old = (HttpURLConnection) url("java-old").toURL().openConnection();
    old.setDoOutput(true);
    old.getOutputStream().write(BODY.getBytes(StandardCharsets.UTF_8));
    tell("java-old", new String(old.getInputStream().readAllBytes(), StandardCharsets.UTF_8));
  }
}
"""
_PERL = r"""
use HTTP::Tiny; use JSON::PP;
my $body = qq({"model": "m", "messages": [{"role": "user", "content": "$ENV{WORDS}"}]});
my $answer = HTTP::Tiny->new->post("$ENV{BASE}/perl/chat/completions", {content => $body});
print "perl\t", decode_json($answer->{content})->{choices}[0]{message}{content}, "\n";
"""


@dataclass(frozen=True, slots=True)
class Program:
    """A program with the names of its ways of asking."""

    name: str
    command: tuple[str, ...]
    """First word as PATH knows it; the script comes last, or in a file of that name."""
    script: str
    clients: tuple[str, ...]
    file: str = ""


def _python(name: str, script: str, *clients: str) -> Program:
    return Program(name, (sys.executable, "-c"), _HEAD + script, clients)


PROGRAMS = (
    _python(
        "standard library", _STANDARD, "urllib", "http.client", "http.client-again", "http.client-chunked", "http-1.0"
    ),
    _python("requests", _REQUESTS, "requests", "requests-stream", "urllib3"),
    _python("httpx", _HTTPX, "httpx", "httpx-stream"),
    _python("aiohttp", _AIOHTTP, "aiohttp", "aiohttp-stream"),
    _python(
        "openai",
        _OPENAI,
        *("openai", "openai-stream", "openai-raw", "openai-streaming", "openai-parse", "openai-helper"),
        *("openai-header", "openai-async", "openai-async-stream"),
    ),
    _python("litellm", _LITELLM, "litellm", "litellm-stream", "litellm-async"),
    Program(
        "curl",
        ("sh", "-c"),
        _CURL,
        ("curl", "curl-stream", "curl-1.0", "curl-chunked", "curl-expect", "curl-compressed", "curl-get-like"),
    ),
    Program("wget", ("sh", "-c"), _WGET, ("wget",)),
    Program("bash", ("bash", "-c"), _BASH, ("bash",)),
    Program("node", ("node", "-e"), _NODE, ("node-fetch", "node-fetch-stream", "node-http", "node-http-again")),
    Program("java", ("java",), _JAVA, ("java", "java-old"), file="Main.java"),
    Program("perl", ("perl", "-e"), _PERL, ("perl",)),
)
