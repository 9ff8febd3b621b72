// Small ways to build elements. Text goes in as text, never as HTML.

export const $ = (id) => document.getElementById(id);

/** An element with properties, attributes (`aria-…`, `data-…`, `role`) and children. */
export function el(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(properties)) {
    if (value === undefined || value === null) continue;
    if (key.includes("-") || key === "role" || key === "for") element.setAttribute(key, value);
    else element[key] = value;
  }
  element.append(...children.filter((child) => child !== null && child !== undefined && child !== ""));
  return element;
}

export function icon(name) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("aria-hidden", "true");
  const use = document.createElementNS("http://www.w3.org/2000/svg", "use");
  use.setAttribute("href", `/page/icons.svg#${name}`);
  svg.append(use);
  return svg;
}

export function dots() {
  return el("span", { className: "dots", "aria-hidden": "true" }, el("i"), el("i"), el("i"));
}

export function avatar(user, small = false) {
  const name = user.global_name ?? user.username;
  const hue = user.bot ? 0 : 1 + (Number(user.id.slice(-4)) % 5);
  const classes = ["avatar", `hue${hue}`, user.bot ? "of-bot" : "", small ? "small" : ""];
  return el("span", { className: classes.filter(Boolean).join(" "), "aria-hidden": "true" }, [...name][0].toUpperCase());
}

let toastTimer = 0;

export function toast(text, isGood = false) {
  const box = $("toast");
  box.classList.toggle("good", isGood);
  box.textContent = text;
  box.hidden = false;
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => (box.hidden = true), 5000);
}

/** Run an act; what goes wrong is shown, and gives undefined. */
export async function attempt(act) {
  try {
    return await act();
  } catch (error) {
    toast(error.message);
    return undefined;
  }
}

/** Ask in a dialog. Fields: {name, label, value, type: "text" | "long" | "check", required, limit}. Null when cancelled. */
export function ask(title, action, fields, words = "") {
  const dialog = $("ask");
  const inputs = new Map(fields.map((field) => [field.name, inputFor(field)]));
  const form = el("form", { method: "dialog" },
    el("h2", { id: "ask-title" }, title),
    ...(words ? [el("p", {}, words)] : []),
    el("div", { className: "ask-fields" }, ...fields.map((field) => labelled(field, inputs.get(field.name)))),
    el("div", { className: "acts" },
      el("button", { type: "button", className: "text", onclick: () => dialog.close("") }, "Cancel"),
      el("button", { type: "submit", className: "primary", value: "yes" }, action)));
  dialog.replaceChildren(form);
  dialog.returnValue = "";
  dialog.showModal();
  [...inputs.values()][0]?.focus();
  return new Promise((resolve) => {
    dialog.onclose = () => {
      if (dialog.returnValue !== "yes") return resolve(null);
      resolve(Object.fromEntries([...inputs].map(([name, input]) => [name, input.type === "checkbox" ? input.checked : input.value])));
    };
  });
}

function inputFor(field) {
  if (field.type === "check") return el("input", { type: "checkbox", checked: Boolean(field.value) });
  const limit = { maxLength: field.limit ?? 4000, required: field.required ?? true, value: field.value ?? "" };
  if (field.type === "long") return el("textarea", { rows: 4, ...limit });
  return el("input", { type: "text", ...limit });
}

function labelled(field, input) {
  return el("label", { className: field.type === "check" ? "check" : "field" }, ...(field.type === "check" ? [input, field.label] : [field.label, input]));
}
