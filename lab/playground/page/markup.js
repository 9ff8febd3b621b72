// The small part of Discord's markdown that conversations need, as DOM nodes. Nothing is fetched.
import { el } from "./dom.js";
import { placeOf, userName } from "./store.js";

const INLINE = /(`+)([^`]|[^`].*?[^`])\1(?!`)|\*\*(.+?)\*\*|~~(.+?)~~|\*([^\s*](?:.*?[^\s*])?)\*|(?<![\w])_([^\s_](?:.*?[^\s_])?)_(?!\w)|<@!?(\d+)>|<#(\d+)>|<t:(-?\d+)(?::[a-zA-Z])?>|(https?:\/\/[^\s<>]+[^\s<>.,:;"')\]])/su;

/** The nodes of a whole message. */
export function markup(text) {
  const nodes = [];
  const fence = /(?:^|\n)?```(?:([\w+#.-]+)?\n)?([\s\S]*?)\n?```\n?/g;
  let at = 0;
  for (const match of text.matchAll(fence)) {
    nodes.push(...blocks(text.slice(at, match.index)));
    nodes.push(codeBlock(match[2], match[1]));
    at = match.index + match[0].length;
  }
  nodes.push(...blocks(text.slice(at)));
  return nodes;
}

function blocks(text) {
  if (text === "") return [];
  const nodes = [];
  let plain = [];
  const flush = () => {
    if (plain.length) nodes.push(el("p", {}, ...inline(plain.join("\n"))));
    plain = [];
  };
  for (const line of text.split("\n")) {
    const heading = /^#{1,3} (.+)/.exec(line);
    const quote = /^> ?(.*)/.exec(line);
    if (!heading && !quote) {
      plain.push(line);
      continue;
    }
    flush();
    if (heading) nodes.push(el("p", { className: "big" }, ...inline(heading[1])));
    else nodes.push(el("blockquote", {}, ...inline(quote[1])));
  }
  flush();
  return nodes;
}

function inline(text) {
  const nodes = [];
  let rest = text;
  for (let match = INLINE.exec(rest); match; match = INLINE.exec(rest)) {
    if (match.index) nodes.push(rest.slice(0, match.index));
    nodes.push(styled(match));
    rest = rest.slice(match.index + match[0].length);
  }
  if (rest) nodes.push(rest);
  return nodes;
}

function styled([whole, , code, bold, struck, slanted, underscored, user, place, instant, link]) {
  if (code !== undefined) return el("code", {}, code);
  if (bold !== undefined) return el("strong", {}, ...inline(bold));
  if (struck !== undefined) return el("s", {}, ...inline(struck));
  if (slanted !== undefined) return el("em", {}, ...inline(slanted));
  if (underscored !== undefined) return el("em", {}, ...inline(underscored));
  if (user !== undefined) return el("span", { className: "mention" }, `@${userName(user)}`);
  if (place !== undefined) return el("span", { className: "mention" }, `#${placeOf(place)?.name ?? "unknown"}`);
  if (instant !== undefined) return el("time", { title: whole }, new Date(Number(instant) * 1000).toLocaleString());
  return el("a", { href: link, target: "_blank", rel: "noopener noreferrer" }, link);
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
