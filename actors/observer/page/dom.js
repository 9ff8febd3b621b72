/* Elements made of text alone: nothing that anybody said is ever read as HTML. */
export const by = (id) => document.getElementById(id);

const TURNS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g; // the direction of what stands behind them

/* Text in which nothing moves what stands beside it. */
export const shown = (text) => text.replace(TURNS, (letter) => `\\u${letter.codePointAt(0).toString(16).padStart(4, "0")}`);

export function make(name, properties = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (key === "class") element.className = value;
    else if (key.includes("-") || key === "role" || key === "scope") element.setAttribute(key, value);
    else element[key] = typeof value === "string" ? shown(value) : value;
  }
  const there = children.filter((child) => child !== null && child !== undefined);
  element.append(...there.map((child) => (typeof child === "string" ? shown(child) : child)));
  return element;
}

export const number = (value) => new Intl.NumberFormat("en", { maximumFractionDigits: 1 }).format(value);

export function millis(ms) {
  if (ms < 1000) return `${number(ms)} ms`;
  return `${number(ms / 1000)} s`;
}

/* What the server says; null if it says nothing, of which the state in the page's head tells. */
export async function ask(path) {
  try {
    const response = await fetch(path, { headers: { Accept: "application/json" } });
    return response.status === 401 || response.status === 403 ? null : await response.json();
  } catch (error) {
    if (error instanceof TypeError || error instanceof SyntaxError) return null; // no connection, or half an answer
    throw error;
  }
}
