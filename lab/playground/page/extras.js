// What a message carries besides its text: forwarded messages, files, stickers, polls, embeds, components, reactions.
import { ask, attempt, el, icon, toast } from "./dom.js";
import { markup } from "./markup.js";
import { post, state } from "./store.js";

/** Nodes for everything of `message` that is not text. */
export function extras(message) {
  const nodes = (message.message_snapshots ?? []).map((snapshot) => forwardBox(snapshot.message));
  nodes.push(...(message.attachments ?? []).map((file) => (isShown(file) ? picture(file) : fileLink(file))));
  for (const sticker of message.sticker_items ?? []) nodes.push(el("div", { className: "sticker" }, el("small", {}, "Sticker"), el("b", {}, sticker.name)));
  if (message.poll) nodes.push(pollBox(message.poll));
  for (const embed of message.embeds ?? []) nodes.push(embedBox(embed));
  if (message.components?.length) nodes.push(el("div", { className: "components" }, ...componentNodes(message, message.components)));
  if (message.reactions?.length) nodes.push(el("div", { className: "reactions" }, ...message.reactions.map((entry) => reaction(message, entry))));
  return nodes;
}

/** True for a picture that Discord shows in the message. */
function isShown(file) {
  return /^image\/(png|jpeg|gif|webp)$/.test(file.content_type ?? "");
}

function picture(file) {
  const address = new URL(file.url).pathname;
  const image = el("img", { src: address, alt: file.description ?? file.filename, title: file.description ?? file.filename, loading: "lazy" });
  const shown = el("a", { className: "picture", href: address, download: file.filename }, image);
  if (!file.filename.startsWith("SPOILER_")) return shown;
  const cover = el("button", { type: "button", className: "picture-cover" }, "Spoiler");
  cover.onclick = () => cover.replaceWith(shown);
  return cover;
}

function fileLink(file) {
  const size = file.size < 1024 ? `${file.size} B` : file.size < 1048576 ? `${Math.round(file.size / 1024)} KiB` : `${(file.size / 1048576).toFixed(1)} MiB`;
  return el("a", { className: "file", href: new URL(file.url).pathname, download: file.filename }, icon("file"), el("span", {}, file.filename), el("small", {}, size));
}

function forwardBox(forwarded) {
  const box = el("div", { className: "forward" }, el("small", {}, icon("forward"), "Forwarded"), ...markup(forwarded.content ?? ""), ...extras(forwarded));
  if (forwarded.timestamp) box.append(el("small", {}, new Date(forwarded.timestamp).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" })));
  return box;
}

function pollBox(poll) {
  const counts = new Map((poll.results?.answer_counts ?? []).map((entry) => [entry.id, entry.count]));
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const answers = poll.answers.map(({ answer_id: number, poll_media: media }) => {
    const share = total ? Math.round((100 * (counts.get(number) ?? 0)) / total) : 0;
    const words = [media.emoji?.id ? `:${media.emoji.name}:` : media.emoji?.name, media.text].filter(Boolean).join(" ");
    const row = el("li", {}, el("span", {}, words), el("small", {}, `${share} %`));
    row.style.setProperty("--share", `${share}%`);
    return row;
  });
  return el("div", { className: "poll" }, el("b", {}, poll.question.text ?? ""),
    el("small", {}, poll.allow_multiselect ? "Select one or more answers" : "Select one answer"), el("ul", {}, ...answers),
    el("small", {}, [`${total} ${total === 1 ? "vote" : "votes"}`, pollEnd(poll)].filter(Boolean).join(" · ")));
}

function pollEnd(poll) {
  if (poll.results?.is_finalized) return "Poll closed";
  return poll.expiry ? `ends ${new Date(poll.expiry).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" })}` : "";
}

function embedBox(embed) {
  const box = el("div", { className: "embed" });
  if (embed.title) box.append(el("b", {}, embed.title));
  if (embed.description) box.append(...markup(embed.description));
  for (const field of embed.fields ?? []) box.append(el("b", {}, field.name), ...markup(field.value));
  if (embed.footer?.text) box.append(el("small", { className: "hint" }, embed.footer.text));
  return box;
}

function reaction(message, entry) {
  const toggle = () => attempt(() => post("react", {
    channel_id: message.channel_id, message_id: message.id, user_id: state.speaker, emoji: entry.emoji.name, remove: Boolean(entry.mine),
  }));
  return el("button", { type: "button", onclick: toggle, "aria-pressed": String(Boolean(entry.mine)), "aria-label": `${entry.emoji.name}, ${entry.count}` }, `${entry.emoji.name} ${entry.count}`);
}

// ---- components: 1 row, 2 button, 3 and 5-8 selects, 9 section, 10 text, 17 container

function componentNodes(message, components) {
  return components.flatMap((component) => {
    if (component.type === 2) return [button(message, component)];
    if (component.type === 3) return [select(message, component)];
    if (component.type === 10) return markup(component.content);
    const inner = componentNodes(message, component.components ?? []);
    return component.type === 1 ? [...inner, el("span", { className: "row-break" })] : inner;
  });
}

function button(message, component) {
  const label = [component.emoji?.name, component.label].filter(Boolean).join(" ");
  if (component.style === 5) return el("a", { href: component.url, target: "_blank", rel: "noopener noreferrer" }, label);
  return el("button", { type: "button", className: `style${component.style}`, disabled: Boolean(component.disabled), onclick: () => use(message, component.custom_id) }, label);
}

function select(message, component) {
  const box = el("select", { disabled: Boolean(component.disabled), "aria-label": component.placeholder ?? "Choose" },
    el("option", { value: "", disabled: true, selected: true }, component.placeholder ?? "Choose…"),
    ...component.options.map((option) => el("option", { value: option.value }, option.label)));
  box.onchange = () => use(message, component.custom_id, [box.value]);
  return box;
}

function use(message, customId, values) {
  const body = { channel_id: message.channel_id, message_id: message.id, user_id: state.speaker, custom_id: customId };
  if (values) body.values = values;
  return interact("component", body);
}

/** Do something that the bot must acknowledge; shows the modal it may answer with. */
export async function interact(act, body) {
  const outcome = await attempt(() => post(act, body));
  if (!outcome) return;
  if (outcome.callback === null) toast("The bot did not respond within three seconds.");
  if (outcome.callback === 9) await showModal(outcome);
}

async function showModal(outcome) {
  const inputs = outcome.data.components.flatMap((row) => row.components ?? (row.component ? [{ label: row.label, ...row.component }] : []));
  const answer = await ask(outcome.data.title, "Submit", inputs.map((input) => ({
    name: input.custom_id, label: input.label ?? input.custom_id, type: input.style === 2 ? "long" : "text", value: input.value, required: input.required ?? true, limit: input.max_length,
  })));
  if (answer) await interact("modal", { interaction_id: outcome.id, values: answer });
}
