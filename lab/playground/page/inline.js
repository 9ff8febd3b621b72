// Words in a line: emphasis, code, spoilers, links, mentions and times, with the precedence of Discord's own rules.
import { el } from "./dom.js";
import { placeOf, userName } from "./store.js";

const PLAIN = /(?:[^\\*_~|`<[h@¯]+|.)/suy;
const SHRUG = /¯\\_\(ツ\)_\/¯/uy;
const ESCAPED = /\\([^0-9A-Za-z\s])/uy;
const CODE = /(`+)([\s\S]*?[^`])\1(?!`)/y;
const SPOILER = /\|\|([\s\S]+?)\|\|/y;
const STRUCK = /~~([\s\S]+?)~~/y;
const BOLD = /\*\*((?:\\[\s\S]|[^\\])+?)\*\*(?!\*)/y;
const UNDERLINED = /__((?:\\[\s\S]|[^\\])+?)__(?!_)/y;
const SLANTED = /\b_((?:__|\\[\s\S]|[^\\_])+?)_\b|\*(?=\S)((?:\*\*|\\[\s\S]|\s+(?:\\[\s\S]|[^\s*\\]|\*\*)|[^\s*\\])+?)\*(?!\*)/y;
const MASKED = /\[((?:\\.|[^\][\\\n])+)\]\(<?(https?:\/\/(?:[^\s()<>]|\([^\s()<>]*\))+)>?(?: "[^"\n]*")?\)/y;
const ADDRESS = /https?:\/\/[^\s<]+[^\s<.,:;"'\]!?*_~|]/y;
const ANGLED = /<(https?:\/\/[^\s<>]+)>/y;
const MENTION = /<(?:@!?(\d+)|@&(\d+)|#(\d+)|\/([^:<>\n]+):\d+)>|@(?:everyone|here)\b/y;
const EMOJI = /<a?:(\w{2,32}):\d+>/y;
const INSTANT = /<t:(-?\d{1,13})(?::([tTdDfFR]))?>/y;

const DATES = {
  t: { timeStyle: "short" }, T: { timeStyle: "medium" }, d: { dateStyle: "short" }, D: { dateStyle: "long" },
  f: { dateStyle: "long", timeStyle: "short" }, F: { dateStyle: "full", timeStyle: "short" },
};
const UNITS = [["year", 31557600], ["month", 2629800], ["day", 86400], ["hour", 3600], ["minute", 60], ["second", 1]];

const MOST_NESTED = 20; // a row of thousands of stars would else nest as deep

/** The nodes of `text`, which may have several lines; inside a link there are no links. */
export function inline(text, isLink = false, depth = 0) {
  if (depth > MOST_NESTED) return [text];
  const nodes = [];
  let plain = "";
  for (let at = 0; at < text.length; ) {
    const piece = styledAt(text, at, isLink, depth);
    if (typeof piece.node === "string") plain += piece.node;
    else {
      if (plain) nodes.push(plain);
      plain = "";
      nodes.push(...[piece.node].flat());
    }
    at += piece.length;
  }
  if (plain) nodes.push(plain);
  return nodes;
}

/** What stands at a place of `text`: {node, length}. */
function styledAt(text, at, isLink, depth) {
  const found = (pattern) => {
    pattern.lastIndex = at;
    return pattern.exec(text);
  };
  const made = (match, node) => ({ node, length: match[0].length });
  const wrapped = (tag, match, inner) => made(match, el(tag, {}, ...inline(inner, isLink, depth + 1)));
  let match;
  if ((match = found(SHRUG))) return made(match, match[0]);
  if ((match = found(ESCAPED))) return made(match, match[1]);
  if ((match = found(CODE))) return made(match, el("code", {}, match[2].replace(/^ (?= *`)|(?<=` *) $/g, "")));
  const emphasis = longest([["em", found(SLANTED)], ["strong", found(BOLD)], ["u", found(UNDERLINED)]]);
  if (emphasis) return wrapped(emphasis[0], emphasis[1], emphasis[1][1] ?? emphasis[1][2]);
  if ((match = found(STRUCK))) return wrapped("s", match, match[1]);
  if ((match = found(SPOILER))) return made(match, spoiler(inline(match[1], isLink, depth + 1)));
  if ((match = found(EMOJI))) return made(match, el("span", { className: "emoji" }, `:${match[1]}:`));
  if ((match = found(INSTANT))) return made(match, instant(match));
  if ((match = found(MENTION))) return made(match, el("span", { className: "mention" }, mentioned(match)));
  if (!isLink) {
    if ((match = found(MASKED))) return made(match, maskedLink(match, depth));
    if ((match = found(ANGLED))) return made(match, link(match[1], [match[1]]));
    if ((match = found(ADDRESS))) return bareLink(match[0]);
  }
  match = found(PLAIN);
  return made(match, match[0]);
}

function longest(candidates) {
  return candidates.filter(([, match]) => match).reduce((best, one) => (best && best[1][0].length >= one[1][0].length ? best : one), null);
}

/** Covered until it is pressed; what is inside cannot be reached before. */
function spoiler(children) {
  const inside = el("span", { inert: true }, ...children);
  const cover = el("span", { className: "spoiler", role: "button", tabIndex: 0, "aria-label": "Spoiler, press to show" }, inside);
  const show = (event) => {
    event.preventDefault();
    event.stopPropagation();
    for (const name of ["role", "aria-label", "tabindex"]) cover.removeAttribute(name);
    cover.onclick = cover.onkeydown = null;
    inside.inert = false;
  };
  cover.onclick = show;
  cover.onkeydown = (event) => (event.key === "Enter" || event.key === " ") && show(event);
  return cover;
}

function mentioned([whole, user, role, place, command]) {
  if (user !== undefined) return `@${userName(user)}`;
  if (role !== undefined) return "@unknown-role";
  if (place !== undefined) return `#${placeOf(place)?.name ?? "unknown"}`;
  return command === undefined ? whole : `/${command}`;
}

// ---- links

function link(address, children) {
  return URL.canParse(address) ? el("a", { href: address, target: "_blank", rel: "noopener noreferrer", title: address }, ...children) : address;
}

/** A link under other words, with the host beside it; words that are an address themselves could deceive, and are shown as written. */
function maskedLink([whole, words, address], depth) {
  if (/https?:\/\//i.test(words) || !URL.canParse(address)) return whole;
  return [link(address, inline(words, true, depth + 1)), el("small", { className: "host" }, ` (${new URL(address).host})`)];
}

/** An address as it stands, without a bracket that was opened before it. */
function bareLink(written) {
  let address = written;
  while (address.endsWith(")") && address.split(")").length > address.split("(").length) address = address.slice(0, -1);
  return { node: link(address, [address]), length: address.length };
}

// ---- times

function instant([whole, seconds, style]) {
  const date = new Date(Number(seconds) * 1000);
  if (Number.isNaN(date.getTime())) return whole;
  const node = el("time", { dateTime: date.toISOString(), title: date.toLocaleString(undefined, DATES.F) });
  if (style === "R") node.className = "relative";
  node.textContent = style === "R" ? relative(date) : date.toLocaleString(undefined, DATES[style ?? "f"]);
  return node;
}

function relative(date) {
  const away = (date.getTime() - Date.now()) / 1000;
  const [unit, size] = UNITS.find(([, length]) => Math.abs(away) >= length) ?? UNITS[UNITS.length - 1];
  return new Intl.RelativeTimeFormat(undefined, { numeric: "always" }).format(Math.trunc(away / size), unit);
}

/** Write again how far away the times inside `root` are. */
export function refreshTimes(root) {
  for (const node of root.querySelectorAll("time.relative")) {
    const words = relative(new Date(node.dateTime));
    if (node.textContent !== words) node.textContent = words;
  }
}
