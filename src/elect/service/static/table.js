// The table of ballots, edited in place. Only the rows in sight are in the document, so a thousand
// ballots are as light as twenty.

import { pieces, readRanking, writeRanking } from "./ballots.js";
import { $, arrange, h, listed, say } from "./dom.js";
import { em, widthOf } from "./figures.js";
import { addBallot, addCandidates, names, removeBallot, withBallot } from "./state.js";

const AROUND = 8; // Rows kept beyond the edges, so that Tab and arrows find the next one.

export function createTable(store) {
  const scroll = $("scroll");
  const body = $("table").tBodies[0];
  const [above, below] = [spacer(), spacer()];
  const rows = new Map();
  const drafts = new WeakMap(); // What was typed for a ballot and cannot be counted yet.
  let typing = null; // The field whose text is its user's: it is not rewritten meanwhile.
  let height = 0;
  let lines = 1;
  let fitted = null; // The election for which rows are high enough.

  /** All rows are as high as the longest ranking needs, three lines at most. */
  function fitRows() {
    const room = scroll.clientWidth - 9.5 * em();
    const text = writeRanking(longest(store.election), names(store.election));
    const needed = widthOf(text) / 0.8125 / Math.max(room, 1);
    // Words do not fill a line to its end, and no row shrinks under a hand that types.
    lines = Math.max(typing ? lines : 1, needed <= 1 ? 1 : Math.min(3, Math.ceil(needed * 1.2)));
    $("table").style.setProperty("--lines", lines);
    height = rowHeight(body);
    fitted = store.election;
  }

  function render() {
    const total = store.election.ballots.length;
    if (fitted !== store.election) fitRows();
    const first = Math.max(0, Math.floor(scroll.scrollTop / height) - AROUND);
    const seen = Math.ceil((scroll.scrollTop + scroll.clientHeight) / height);
    const last = Math.min(total, Math.max(seen, first) + AROUND);
    for (const number of rows.keys()) if (number < first || number >= last) rows.delete(number);
    const shown = [above];
    for (let number = first; number < last; number += 1) {
      if (!rows.has(number)) rows.set(number, createRow(number));
      refresh(rows.get(number), number);
      shown.push(rows.get(number).element);
    }
    above.firstChild.style.height = `${first * height}px`;
    below.firstChild.style.height = `${Math.max(0, total - last) * height}px`;
    arrange(body, [...shown, below]);
    $("table").setAttribute("aria-rowcount", total + 1);
  }

  function refresh(row, number) {
    const { candidates, ballots } = store.election;
    const ballot = ballots[number];
    if (row.ballot === ballot && row.candidates === candidates && typing === row.typing) return;
    Object.assign(row, { ballot, candidates, typing });
    if (typing !== row.count) row.count.value = ballot.count;
    if (typing !== row.ranking)
      row.ranking.value = drafts.get(ballot) ?? writeRanking(ballot.ranking, names(store.election));
    row.count.removeAttribute("aria-invalid");
    row.ranking.toggleAttribute("aria-invalid", drafts.has(ballot));
    row.element.classList.toggle("off", ballot.count === 0 || ballot.ranking.length === 0);
    row.element.classList.toggle("draft", drafts.has(ballot));
    row.shown.replaceChildren(...display(ballot, store.election));
  }

  /** Take what stands in a field of rankings; strangers become candidates only when it is left. */
  function take(number, text, finished) {
    const { election } = store;
    const ballot = election.ballots[number];
    const { ranking, strangers, error } = readRanking(text.replace(/\s+/g, " "), names(election));
    if (error || (strangers.length && !finished)) {
      drafts.set(ballot, text);
      rows.get(number)?.ranking.setAttribute("aria-invalid", "");
      say($("hint"), error ?? `Enter adds ${listed(strangers)} as a new candidate.`);
      return false;
    }
    say($("hint"), "");
    drafts.delete(ballot);
    if (JSON.stringify(ranking) !== JSON.stringify(ballot.ranking) || strangers.length) {
      const wider = strangers.length ? addCandidates(election, strangers) : election;
      const what = strangers.length
        ? `${listed(strangers)} added`
        : `ranking of ballot ${number + 1}`;
      store.change(withBallot(wider, number, { ranking }), what, `ranking ${number}`);
    }
    return true;
  }

  function takeCount(number, field) {
    const valid = /^\d{1,12}$/.test(field.value.trim());
    field.toggleAttribute("aria-invalid", !valid);
    say($("hint"), valid ? "" : "How many voters cast this ballot? Write a whole number.");
    if (!valid || Number(field.value) === store.election.ballots[number].count) return;
    const changed = withBallot(store.election, number, { count: Number(field.value) });
    store.change(changed, `voters of ballot ${number + 1}`, `count ${number}`);
  }

  function remove(number) {
    store.change(removeBallot(store.election, number), `ballot ${number + 1} removed`);
    const left = store.election.ballots.length;
    if (left) focus(Math.min(number, left - 1), "remove");
    else $("add-ballot").focus();
  }

  function add() {
    const { ballots } = store.election;
    // An empty row at the end is waiting already.
    if (!ballots.length || ballots.at(-1).ranking.length)
      store.change(addBallot(store.election), "ballot added");
    focus(store.election.ballots.length - 1, "ranking");
  }

  function focus(number, part) {
    const top = number * height;
    const bottom = top + 2 * height - scroll.clientHeight; // The head of the table covers a row.
    if (scroll.scrollTop > top) scroll.scrollTop = top;
    if (scroll.scrollTop < bottom) scroll.scrollTop = bottom;
    render();
    rows.get(number)?.[part].focus({ preventScroll: true });
  }

  function onKey(event, { number, part }) {
    const last = store.election.ballots.length - 1;
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (event.key === "Enter" && part !== "remove") {
      event.preventDefault();
      if (part === "ranking" && !take(number, event.target.value, true)) return;
      if (number === last) add();
      else focus(number + 1, part);
    } else if (event.key === "Escape") {
      drafts.delete(store.election.ballots[number]);
      leave(number);
    } else if (step && part !== "count" && number + step >= 0 && number + step <= last) {
      event.preventDefault();
      focus(number + step, part);
    }
  }

  function leave(number) {
    typing = null;
    store.settle();
    say($("hint"), "");
    if (rows.has(number)) rows.get(number).ballot = null;
    render();
  }

  body.addEventListener("input", ({ target }) => {
    const { number, part } = place(target);
    typing = target;
    // Some keyboards of phones send no key, only the new line.
    if (part === "ranking") take(number, target.value, target.value.includes("\n"));
    else takeCount(number, target);
  });
  body.addEventListener("focusout", ({ target }) => {
    const { number, part } = place(target);
    if (part === "ranking" && target === typing) take(number, target.value, true);
    if (part !== "remove") leave(number);
  });
  body.addEventListener("keydown", (event) => onKey(event, place(event.target)));
  body.addEventListener("click", ({ target }) => {
    const button = target.closest("button");
    if (button) remove(place(button).number);
  });
  scroll.addEventListener("scroll", render, { passive: true });
  new ResizeObserver(() => {
    fitted = null;
    render();
  }).observe(scroll);
  $("add-ballot").addEventListener("click", add);
  store.listen((election, what) => {
    if (/^(Undone|Done again)/.test(what)) typing = null;
    if (!what) scroll.scrollTop = 0;
    render();
  });
  return { render };
}

function createRow(number) {
  const ballot = `of ballot ${number + 1}`;
  const count = h("input", {
    type: "number",
    min: 0,
    step: 1,
    inputmode: "numeric",
    "data-part": "count",
    "aria-label": `Voters ${ballot}`,
  });
  const ranking = h("textarea", {
    ...{
      rows: 1,
      "data-part": "ranking",
      "aria-label": `Ranking ${ballot}`,
      "aria-describedby": "hint",
    },
    ...{
      spellcheck: "false",
      autocomplete: "off",
      autocapitalize: "off",
      placeholder: "Anna > Ben = Cleo",
    },
  });
  const shown = h("div", { class: "shown", "aria-hidden": "true" });
  const remove = h(
    "button",
    {
      type: "button",
      class: "remove",
      "data-part": "remove",
      "aria-label": `Remove ballot ${number + 1}`,
      title: "Remove",
    },
    "×",
  );
  const element = h(
    "tr",
    { "data-row": number, "aria-rowindex": number + 2 },
    h("td", {}, count),
    h("td", { class: "ranking" }, ranking, shown),
    h("td", {}, remove),
  );
  return { element, count, ranking, shown, remove };
}

/** The ranking as it looks while nobody edits it: signs in grey, the absent struck out. */
function display(ballot, election) {
  return pieces(ballot.ranking, names(election)).map(([text, c]) => {
    if (c === null) return h("i", {}, text);
    return election.candidates[c].absent ? h("s", {}, text) : text;
  });
}

/** The ranking of the most letters. */
function longest({ candidates, ballots }) {
  const letters = candidates.map(({ name }) => name.length + 3);
  const length = ({ ranking }) =>
    ranking.reduce((sum, tier) => tier.reduce((part, c) => part + letters[c], sum), 0);
  let [most, found] = [0, []];
  for (const ballot of ballots) {
    const size = length(ballot);
    if (size > most) [most, found] = [size, ballot.ranking];
  }
  return found;
}

function place(element) {
  return { number: Number(element.closest("tr").dataset.row), part: element.dataset.part };
}

function spacer() {
  return h("tr", { class: "spacer", "aria-hidden": "true" }, h("td", { colspan: 3 }));
}

function rowHeight(body) {
  const probe = createRow(0).element;
  body.append(probe);
  const { height } = probe.getBoundingClientRect();
  probe.remove();
  return height || 40;
}
