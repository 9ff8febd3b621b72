// Slash commands: the menu while "/…" is typed, then a field for every option.
import { $, attempt, el } from "./dom.js";
import { interact } from "./extras.js";
import { on, post, state, userName } from "./store.js";

const menu = $("menu-commands");
const panel = $("command");
const text = $("text");
let lines = []; // {line, description, options}: commands with their subcommands spelled out
let shown = [];
let chosen = 0;
let active = null;

export function startCommands() {
  on("commands", () => (lines = state.commands.filter((c) => c.type === 1).flatMap((c) => spelledOut(c, c.name))));
  menu.addEventListener("mousedown", (event) => {
    const item = event.target.closest("li");
    if (!item) return;
    event.preventDefault();
    choose(Number(item.dataset.at));
  });
}

function spelledOut(command, line) {
  const inner = (command.options ?? []).filter((option) => option.type <= 2);
  if (inner.length) return inner.flatMap((option) => spelledOut(option, `${line} ${option.name}`));
  return [{ line, description: command.description, options: command.options ?? [] }];
}

export function isMenuOpen() {
  return !menu.hidden;
}

export function isCommandActive() {
  return active !== null;
}

/** Show what fits the typed text; hides the menu when it is no command. */
export function refreshMenu() {
  const typed = text.value;
  const word = /^\/([\w -]*)$/.exec(typed)?.[1].toLowerCase();
  shown = word === undefined || active ? [] : lines.filter((entry) => entry.line.includes(word)).sort((a, b) => a.line.indexOf(word) - b.line.indexOf(word));
  chosen = 0;
  menu.hidden = shown.length === 0;
  drawMenu();
}

function drawMenu() {
  menu.replaceChildren(...shown.map((entry, at) => el("li", { id: `command-${at}`, role: "option", "data-at": at, "aria-selected": String(at === chosen) },
    el("b", {}, `/${entry.line}`), el("small", {}, entry.description))));
  if (menu.hidden) text.removeAttribute("aria-activedescendant");
  else {
    text.setAttribute("aria-activedescendant", `command-${chosen}`);
    menu.children[chosen].scrollIntoView({ block: "nearest" });
  }
}

/** Whether the key was for the menu. */
export function menuKey(event) {
  const steps = { ArrowDown: 1, ArrowUp: -1 };
  if (event.key in steps) {
    chosen = (chosen + steps[event.key] + shown.length) % shown.length;
    drawMenu();
  } else if (event.key === "Enter" || event.key === "Tab") choose(chosen);
  else if (event.key === "Escape") menu.hidden = true;
  else return false;
  event.preventDefault();
  return true;
}

function choose(at) {
  const entry = shown[at];
  active = { entry, fields: entry.options.map(fieldFor) };
  menu.hidden = true;
  text.value = "";
  text.disabled = entry.options.length > 0;
  panel.replaceChildren(
    el("div", { className: "head" }, el("b", {}, `/${entry.line}`), el("small", {}, entry.description),
      el("button", { type: "button", "aria-label": "Cancel the command", onclick: cancelCommand }, "Cancel")),
    el("div", { className: "fields" }, ...active.fields.map(({ option, input, list }) => el("label", { className: "field" }, fieldTitle(option), input, list))));
  panel.hidden = false;
  panel.onkeydown = panelKey;
  text.placeholder = entry.options.length ? "Fill in the fields above, then press Enter" : "Press Enter to send the command";
  (active.fields[0]?.input ?? text).focus();
}

function panelKey(event) {
  if (event.key === "Escape") cancelCommand();
  else if (event.key === "Enter" && event.target.tagName !== "BUTTON" && !event.isComposing) {
    event.preventDefault();
    $("composer").requestSubmit();
  }
}

export function cancelCommand() {
  active = null;
  panel.hidden = true;
  panel.replaceChildren();
  text.disabled = false;
  text.dispatchEvent(new Event("input"));
  text.focus();
}

function fieldTitle(option) {
  const about = /^(…|\.\.\.)?$/.test(option.description) ? "" : `: ${option.description}`;
  return `${option.name}${about}${option.required ? "" : " (optional)"}`;
}

function fieldFor(option) {
  const common = { name: option.name, required: Boolean(option.required) };
  const pick = (pairs) => el("select", common, ...(option.required ? [] : [el("option", { value: "" }, "")]), ...pairs.map(([value, label]) => el("option", { value }, label)));
  if (option.choices?.length) return { option, input: pick(option.choices.map((c) => [c.value, c.name])) };
  if (option.type === 5) return { option, input: pick([["true", "yes"], ["false", "no"]]) };
  if (option.type === 6) return { option, input: pick([...state.users.keys()].map((id) => [id, userName(id)])) };
  if (option.type === 7) return { option, input: pick([...state.channels.values()].map((c) => [c.id, c.name])) };
  if (option.type === 4 || option.type === 10) return { option, input: el("input", { type: "number", step: option.type === 4 ? "1" : "any", ...common }) };
  const input = el("input", { type: "text", maxLength: option.max_length ?? 6000, ...common });
  if (!option.autocomplete) return { option, input };
  const list = el("datalist", { id: `choices-${option.name}` });
  input.setAttribute("list", list.id);
  let timer = 0;
  input.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(() => offer(option.name, list), 200);
  });
  return { option, input, list };
}

function values() {
  return Object.fromEntries(active.fields.filter(({ input }) => input.value !== "").map(({ option, input }) => [option.name, input.value]));
}

async function offer(focused, list) {
  if (!active) return;
  const body = { channel_id: state.current, user_id: state.speaker, command: active.entry.line, options: { [focused]: "", ...values() }, focused };
  const outcome = await attempt(() => post("complete", body));
  list.replaceChildren(...(outcome?.choices ?? []).map((choice) => el("option", { value: choice.value }, choice.name)));
}

/** Send the command that is filled in. */
export async function sendCommand() {
  const body = { channel_id: state.current, user_id: state.speaker, command: active.entry.line, options: values() };
  cancelCommand();
  await interact("slash", body);
}
