// Renders texts with the page's own modules on a small document: [text, …] on standard input, [written out, …] on standard output.
import { readFileSync } from "node:fs";

class Element {
  constructor(tag) {
    this.tag = tag;
    this.attributes = new Map();
    this.children = [];
  }
  append(...children) {
    this.children.push(...children);
  }
  setAttribute(name, value) {
    this.attributes.set(name, String(value));
  }
  removeAttribute(name) {
    this.attributes.delete(name);
  }
  set textContent(text) {
    this.children = [text];
  }
}

const SHOWN = ["className", "href", "start", "inert", "rel"];

function written(node) {
  if (typeof node === "string") return node.replaceAll("<", "‹").replaceAll(">", "›");
  const shown = SHOWN.filter((name) => node[name]).map((name) => ` ${name}=${node[name]}`);
  const role = node.attributes.has("role") && node.tag === "span" ? " role=button" : "";
  return `<${node.tag}${shown.join("")}${role}>${node.children.map(written).join("")}</${node.tag}>`;
}

globalThis.document = { createElement: (tag) => new Element(tag) };
const { markup } = await import(`${process.argv[2]}/markup.js`);
const { state } = await import(`${process.argv[2]}/store.js`);
state.users.set("7", { username: "ada" });
state.channels.set("8", { name: "bot" });
const rendered = JSON.parse(readFileSync(0, "utf8")).map((text) => markup(text).map(written).join(""));

const [spoiler] = markup("||butler||")[0].children;
spoiler.onclick({ preventDefault() {}, stopPropagation() {} });
process.stdout.write(JSON.stringify({ rendered, revealed: written(spoiler) }));
