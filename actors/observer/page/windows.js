/* List of windows: only the rows that can be seen are in the page, however many windows there are. */
import { by, make, number } from "./dom.js";

const ROW = 28;

export class WindowList {
  constructor(onChoose) {
    this.rows = new Map();
    this.shown = [];
    this.chosen = "";
    this.onChoose = onChoose;
    this.box = by("windows");
    this.space = make("div", { class: "space", role: "presentation" });
    this.box.append(this.space);
    this.box.addEventListener("scroll", () => this.draw());
    this.box.addEventListener("click", (event) => {
      const row = event.target.closest("[data-key]");
      if (row) this.choose(row.dataset.key);
    });
    this.box.addEventListener("keydown", (event) => this.key(event));
    by("filter").addEventListener("input", () => this.sort());
    new ResizeObserver(() => this.draw()).observe(this.box);
  }

  take(changes) {
    if (changes.all) this.rows.clear();
    let moved = changes.all;
    for (const [key, row] of Object.entries(changes.rows)) {
      moved ||= !this.rows.has(key);
      this.rows.set(key, row);
    }
    for (const key of changes.gone) moved = this.rows.delete(key) || moved;
    by("windows_count").textContent = number(changes.count);
    if (moved) this.sort();
    else this.draw();
  }

  sort() {
    const wanted = by("filter").value.trim().toLowerCase();
    this.shown = [...this.rows.keys()].filter((key) => !wanted || key.includes(wanted)).sort();
    this.draw();
  }

  choose(key) {
    this.chosen = key;
    this.draw();
    this.onChoose(key);
  }

  key(event) {
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10 }[event.key];
    if (!step || !this.shown.length) return;
    event.preventDefault();
    const at = this.shown.indexOf(this.chosen);
    const next = Math.min(Math.max(at + step, 0), this.shown.length - 1);
    const top = next * ROW;
    if (top < this.box.scrollTop) this.box.scrollTop = top;
    if (top + ROW > this.box.scrollTop + this.box.clientHeight) this.box.scrollTop = top + ROW - this.box.clientHeight;
    this.choose(this.shown[next]);
  }

  draw() {
    this.space.style.height = `${this.shown.length * ROW}px`;
    const first = Math.max(0, Math.floor(this.box.scrollTop / ROW) - 4);
    const last = Math.min(this.shown.length, first + Math.ceil(this.box.clientHeight / ROW) + 8);
    const rows = [];
    for (let at = first; at < last; at += 1) {
      const key = this.shown[at];
      const [state, waiting, rate] = this.rows.get(key);
      const told = waiting ? `${number(waiting)} waiting` : rate ? `${number(rate)}/s` : "";
      const row = make(
        "div",
        { class: `row ${state}`, role: "option", id: `window_${at}`, "aria-selected": String(key === this.chosen), "aria-posinset": String(at + 1), "aria-setsize": String(this.shown.length) },
        make("span", { class: "mark", "aria-hidden": "true" }),
        make("span", { class: "name", textContent: key }),
        make("span", { class: "rate", textContent: state === "resting" ? "resting" : told }),
      );
      row.dataset.key = key;
      row.style.top = `${at * ROW}px`;
      rows.push(row);
      if (key === this.chosen) this.box.setAttribute("aria-activedescendant", row.id);
    }
    this.space.replaceChildren();
    this.box.replaceChildren(this.space, ...rows);
  }
}
