// The candidates: rename in place, remove, put back, add.

import { $, arrange, h, mark, say } from "./dom.js";
import { addCandidates, freeName, names, withCandidate } from "./state.js";

export function createCandidates(store) {
  const list = $("candidates");
  const items = [];
  let typing = null;

  function render() {
    const { candidates } = store.election;
    while (items.length < candidates.length) items.push(createItem(items.length));
    candidates.forEach((candidate, c) => refresh(items[c], candidate));
    arrange(
      list,
      items.slice(0, candidates.length).map(({ element }) => element),
    );
  }

  function refresh(item, candidate) {
    if (item.candidate === candidate && typing !== item.field) return;
    item.candidate = candidate;
    const { name, absent } = candidate;
    if (typing !== item.field) {
      item.field.value = name;
      item.field.removeAttribute("aria-invalid");
    }
    item.field.size = Math.max(1, item.field.value.length);
    item.element.classList.toggle("absent", absent);
    item.button.setAttribute("aria-label", absent ? `Put ${name} back` : `Remove ${name}`);
    item.button.title = absent ? "Put back" : "Remove";
    say(item.button, absent ? "put back" : "×");
  }

  function rename(number, field) {
    const name = field.value.trim();
    const taken = names(store.election).some((other, c) => c !== number && other === name);
    field.toggleAttribute("aria-invalid", taken || !name);
    say($("hint"), taken ? `There is another ${name}; choose a name that nobody has.` : "");
    if (taken || !name || name === store.election.candidates[number].name) return;
    const before = store.election.candidates[number].name;
    store.change(
      withCandidate(store.election, number, { name }),
      `${before} renamed to ${name}`,
      `name ${number}`,
    );
  }

  function toggle(number) {
    const { name, absent } = store.election.candidates[number];
    const what = absent ? `${name} put back` : `${name} removed`;
    store.change(withCandidate(store.election, number, { absent: !absent }), what);
  }

  function add() {
    const name = freeName(store.election);
    store.change(addCandidates(store.election, [name]), `${name} added`);
    items[store.election.candidates.length - 1].field.select();
  }

  const number = (element) => Number(element.closest("li").dataset.candidate);
  list.addEventListener("input", ({ target }) => {
    typing = target;
    rename(number(target), target);
  });
  list.addEventListener("focusout", ({ target }) => {
    if (target !== typing) return;
    typing = null;
    store.settle();
    say($("hint"), "");
    items[number(target)].candidate = null;
    render();
  });
  list.addEventListener("keydown", (event) => {
    if (!event.target.matches("input") || !["Enter", "Escape"].includes(event.key)) return;
    event.preventDefault();
    event.target.blur();
    event.target.focus();
  });
  list.addEventListener("click", ({ target }) => {
    const button = target.closest("button");
    if (button) toggle(number(button));
  });
  $("add-candidate").addEventListener("click", add);
  store.listen((election, what) => {
    if (/^(Undone|Done again)/.test(what)) typing = null;
    render();
  });
}

function createItem(number) {
  const field = h("input", {
    type: "text",
    "aria-label": `Name of candidate ${number + 1}`,
    spellcheck: "false",
    autocomplete: "off",
    maxlength: 200,
  });
  const button = h("button", { type: "button", class: "remove" });
  const element = h("li", { "data-candidate": number }, mark(number), field, button);
  return { element, field, button };
}
