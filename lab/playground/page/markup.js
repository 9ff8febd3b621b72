// A message's text as Discord shows it, as DOM nodes: never HTML, and nothing is fetched. Words in a line are in inline.js.
import { el } from "./dom.js";
import { inline } from "./inline.js";

const FENCE = /```(?:([\w+#.-]+)\n)?\n*([^\n][\s\S]*?)\n*```/y;
const HEADING = /^ *(#{1,3}) +(\S.*)$/;
const SMALL = /^ *-# +(\S.*)$/;
const ITEM = /^( *)([-*]|\d{1,9}\.) +(\S.*)$/;
const MOST_NESTED = 10;

/** The nodes of a whole message. */
export function markup(text) {
  return blocks(text, false);
}

function blocks(text, isQuoted) {
  const nodes = [];
  let plain = "";
  let rest = text;
  const flush = () => {
    const words = plain.replace(/\n$/, "");
    if (plain) nodes.push(el("p", {}, ...inline(words)));
    plain = "";
  };
  const add = (node, length) => {
    flush();
    nodes.push(node);
    rest = rest.slice(length);
  };
  while (rest) {
    const block = !plain || plain.endsWith("\n") ? blockAt(rest, isQuoted) : null;
    if (block) {
      add(block.node, block.length);
      continue;
    }
    const end = rest.indexOf("\n") + 1 || rest.length;
    const fence = fenceIn(rest, end);
    if (fence) {
      plain += rest.slice(0, fence.index);
      const length = fence.index + fence[0].length;
      add(codeBlock(fence[2], fence[1]), length + (rest[length] === "\n" ? 1 : 0));
    } else {
      plain += rest.slice(0, end);
      rest = rest.slice(end);
    }
  }
  flush();
  return nodes;
}

/** The first block of code that begins in the first `end` characters and is closed anywhere; null if there is none. */
function fenceIn(text, end) {
  for (let at = text.indexOf("```"); at >= 0 && at < end; at = text.indexOf("```", at + 1)) {
    FENCE.lastIndex = at;
    const match = text[at - 1] === "\\" ? null : FENCE.exec(text);
    if (match) return match;
  }
  return null;
}

/** What begins at a line's beginning and is no plain text: {node, length}, the length with the line's end. */
function blockAt(text, isQuoted) {
  if (!isQuoted && /^>>> \s*\S/.test(text)) return { node: el("blockquote", {}, ...blocks(text.slice(4), true)), length: text.length };
  const lines = text.split("\n");
  const upTo = (count) => Math.min(text.length, lines.slice(0, count).join("\n").length + 1);
  if (!isQuoted && isQuote(lines[0])) {
    const count = lengthOf(lines, isQuote);
    return { node: el("blockquote", {}, ...blocks(lines.slice(0, count).map((line) => line.slice(2)).join("\n"), true)), length: upTo(count) };
  }
  const heading = HEADING.exec(lines[0]);
  if (heading) return { node: el("p", { className: `big big${heading[1].length}` }, ...inline(heading[2])), length: upTo(1) };
  const small = SMALL.exec(lines[0]);
  if (small) return { node: el("p", { className: "small" }, ...inline(small[1])), length: upTo(1) };
  if (!ITEM.test(lines[0])) return null;
  const count = lengthOf(lines, (line) => ITEM.test(line) || /^ {2,}\S/.test(line));
  return { node: list(items(lines.slice(0, count))), length: upTo(count) };
}

function isQuote(line) {
  return line.startsWith("> ");
}

/** How many of the first `lines` are of the kind. */
function lengthOf(lines, isOne) {
  const end = lines.findIndex((line) => !isOne(line));
  return end < 0 ? lines.length : end;
}

/** Lines as {indent, number, text}; a line that is indented and no item goes on with the one before. */
function items(lines) {
  const found = [];
  for (const line of lines) {
    const match = ITEM.exec(line);
    if (match) found.push({ indent: match[1].length, number: match[2].length > 1 ? Number.parseInt(match[2], 10) : null, text: match[3] });
    else found[found.length - 1].text += `\n${line.trim()}`;
  }
  return found;
}

/** The list of all `entries`; those that are indented further than the first are inside the one before them. */
function list(entries, depth = 0) {
  const [{ indent, number }] = entries;
  const box = number === null ? el("ul") : el("ol", { start: number });
  for (let at = 0; at < entries.length; ) {
    const { text } = entries[at];
    let end = at + 1;
    while (end < entries.length && entries[end].indent > indent) end += 1;
    const inner = entries.slice(at + 1, end);
    const below = inner.length === 0 ? [] : depth < MOST_NESTED ? [list(inner, depth + 1)] : inner.map((entry) => el("p", {}, ...inline(entry.text)));
    box.append(el("li", {}, ...inline(text), ...below));
    at = end;
  }
  return box;
}

function codeBlock(code, language) {
  const copy = el("button", { type: "button" }, "Copy");
  copy.onclick = async () => {
    await navigator.clipboard.writeText(code);
    copy.textContent = "Copied";
    setTimeout(() => (copy.textContent = "Copy"), 1500);
  };
  const label = language ? `${language} code` : "Code";
  return el("div", { className: "block" }, el("pre", { tabIndex: 0, "aria-label": label, role: "group" }, el("code", {}, code)), copy);
}
