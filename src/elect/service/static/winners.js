// Who wins under which rule: rules that agree stand together, each with its reason.

import { $, arrange, count, h, listed, mark, say } from "./dom.js";

// What people call the rules, as the service tells it.
const titles = new Map([["plackett_luce", "Plackett–Luce"]]);

/** Remember what rules are called. */
function learnTitles(rules) {
  for (const { rule, name, title, kind } of rules)
    if (title && kind === "exact") titles.set(rule ?? name, title);
}

/** "instant_runoff" as it is written in a text. */
export function title(name) {
  const plain = name
    .replaceAll("_", " ")
    .replace(":head=", ": ")
    .replace(/^tally-(.*)$/, (_, rest) => `tally: ${rest.replaceAll("-", " ")}`);
  return titles.get(name) ?? plain.charAt(0).toUpperCase() + plain.slice(1);
}

export function createWinners(store) {
  const rows = new Map(); // By rule, so that what is open or focused stays so.
  const cards = new Map();
  let definitions = new Map();
  let speaking = 0;

  let last = null; // The answer of the rules that are asked first.
  let shelf = []; // What the trained rules of the package have said last.

  function render(result) {
    learnTitles(result.rules);
    const trained = result.rules.filter(({ kind }) => kind === "shelf");
    if (trained.length) shelf = trained;
    last = { ...result, rules: result.rules.filter(({ kind }) => kind !== "shelf") };
    draw();
  }

  /** What the trained rules of the package say to the same election. */
  function renderShelf(rules) {
    shelf = rules;
    if (last) draw();
  }

  function draw() {
    const number = numbers(store.election);
    const counted = last.rules.filter((rule) => !rule.error);
    // Until they have been heard again, they are taken to stand by whom they elected before.
    const trained = shelf.filter((rule) => !rule.error && rule.winners.every((w) => number.has(w)));
    const groups = group(counted, trained);
    const leading = groups.filter(({ rules }) => rules.length);
    say($("headline"), headline(leading, counted.length));
    say($("condorcet"), condorcet(last));
    arrange(
      $("strip"),
      leading.map((one) => segment(one, number)),
    );
    arrange(
      $("groups"),
      groups.map((one) => card(one, counted.length, number)),
    );
    arrange($("refused"), refusals([...last.rules, ...shelf]));
    for (const rule of rows.keys())
      if (![...counted, ...trained].some((one) => one.rule === rule)) rows.delete(rule);
    // A voice says it once the hands rest.
    clearTimeout(speaking);
    speaking = setTimeout(() => say($("announce"), spoken(leading)), 600);
  }

  function card({ winners, rules, trained }, total, number) {
    const key = JSON.stringify(winners);
    if (!cards.has(key)) cards.set(key, createCard());
    const { element, name, share, list, behind, shelved, many } = cards.get(key);
    name.replaceChildren(
      ...winners.flatMap((winner, i) => [
        ...(i ? [h("i", {}, " = ")] : []),
        h("span", {}, mark(number.get(winner)), winner),
      ]),
    );
    if (winners.length > 1) name.append(" ", h("em", { class: "badge" }, "tie"));
    say(share, rules.length ? `${rules.length} of ${total}` : "");
    arrange(
      list,
      rules.map((rule) => row(rule, number)),
    );
    // Trained rules of the package are many, and nearly always agree with the exact ones: they
    // wait behind a line.
    const fill = () =>
      arrange(
        behind,
        trained.map((rule) => row(rule, number)),
      );
    shelved.ontoggle = () => shelved.open && fill();
    if (shelved.open) fill();
    else behind.replaceChildren();
    shelved.hidden = !trained.length;
    say(many, `${rules.length ? "and " : ""}${count(trained.length, "trained rule")}`);
    if (cards.size > 200) cards.clear();
    return element;
  }

  function row(rule, number) {
    if (!rows.has(rule.rule)) rows.set(rule.rule, createRow(rule, definitions));
    const { element, why, chances, details, body } = rows.get(rule.rule);
    say(why, rule.why ?? "");
    chances.replaceChildren(...(rule.probabilities ? stacked(rule.probabilities, number) : []));
    const fill = () => body.replaceChildren(...more(rule, definitions.get(rule.rule), number));
    details.ontoggle = () => details.open && fill();
    if (details.open) fill();
    return element;
  }

  function clear(text) {
    clearTimeout(speaking);
    say($("headline"), text);
    for (const part of ["condorcet", "announce"]) say($(part), "");
    for (const part of ["strip", "groups", "refused"]) $(part).replaceChildren();
    rows.clear();
    cards.clear();
    [last, shelf] = [null, []];
  }

  return {
    render,
    renderShelf,
    clear,
    define: (rules) => {
      learnTitles(rules);
      definitions = new Map(rules.map((rule) => [rule.name, rule]));
    },
  };
}

/** Rules of equal winners, the largest group first, and the trained rules that join them. */
function group(rules, trained) {
  const found = new Map();
  const at = (rule) => {
    const winners = [...rule.winners].sort();
    const key = JSON.stringify(winners);
    if (!found.has(key)) found.set(key, { winners, rules: [], trained: [] });
    return found.get(key);
  };
  for (const rule of rules) at(rule).rules.push(rule);
  for (const rule of trained) at(rule).trained.push(rule);
  return [...found.values()].sort((a, b) => b.rules.length - a.rules.length);
}

const numbers = ({ candidates }) => new Map(candidates.map(({ name }, c) => [name, c]));

const tied = (winners) => (winners.length > 1 ? `${listed(winners)} tie` : `${winners[0]} wins`);

function headline(groups, total) {
  if (!groups.length) return "No rule can read these ballots.";
  if (groups.length === 1) return `${tied(groups[0].winners)} under all ${total} rules.`;
  const single = groups.filter(({ winners }) => winners.length === 1);
  const different = new Set(groups.flatMap(({ winners }) => winners)).size;
  return single.length === groups.length
    ? `${count(total, "rule")}, ${different} different winners.`
    : `${count(total, "rule")}, ${groups.length} different answers.`;
}

function condorcet({ condorcet: found, candidates }) {
  if (candidates.length < 2) return "";
  return found
    ? `${found} beats everyone else head to head: the Condorcet winner.`
    : "Nobody beats everyone else head to head: there is no Condorcet winner.";
}

const spoken = (groups) =>
  groups
    .map(({ winners, rules }) => `${tied(winners)} under ${count(rules.length, "rule")}`)
    .join("; ") + ".";

function segment({ winners, rules }, number) {
  const element = h(
    "span",
    { class: `segment c${number.get(winners[0]) % 8}`, title: tied(winners) },
    h("b", {}, winners.join(" = ")),
    ` ${rules.length}`,
  );
  element.style.flexGrow = rules.length;
  return element;
}

function createCard() {
  const name = h("h3", { class: "who" });
  const share = h("span", { class: "share" });
  const list = h("ul", { class: "rules" });
  const behind = h("ul", { class: "rules" });
  const many = h("summary", {});
  const shelved = h("details", { class: "shelf" }, many, behind);
  const element = h("article", { class: "card" }, h("header", {}, name, share), list, shelved);
  return { element, name, share, list, behind, shelved, many };
}

function createRow({ rule, kind }, definitions) {
  const why = h("span", { class: "why" });
  const chances = h("span", { class: "chances", "aria-hidden": "true" });
  const body = h("div", { class: "more" });
  const badge = kind !== "exact" ? h("em", { class: "badge" }, "learned") : null;
  const name = h(
    "span",
    { class: "rule", title: definitions.get(rule)?.definition ?? null },
    title(rule),
    " ",
    badge,
  );
  const details = h("details", {}, h("summary", {}, name, why, chances), body);
  return { element: h("li", { "data-rule": rule }, details), why, chances, details, body };
}

/** What opens below a rule: its definition, every score or chance, and what to beware of. */
function more({ scores, probabilities, caveats }, known, number) {
  const notes = (caveats ?? []).map((caveat) => h("p", { class: "caveat" }, caveat));
  // Scores that would take long to find are null.
  const values = Object.entries(probabilities ?? scores ?? {})
    .filter(([, value]) => value !== null)
    .sort((a, b) => b[1] - a[1]);
  const label = probabilities ? "Probability" : "Score";
  const table = h(
    "table",
    { class: "bars" },
    h(
      "thead",
      {},
      h(
        "tr",
        {},
        h("th", { scope: "col" }, "Candidate"),
        h("th", { scope: "col" }, label),
        h("td", {}),
      ),
    ),
    h(
      "tbody",
      {},
      values.map(([name, value]) => bar(name, value, values, probabilities, number)),
    ),
  );
  return [
    known?.definition ? h("p", {}, known.definition) : null,
    values.length ? table : null,
    ...notes,
  ].filter(Boolean);
}

function bar(name, value, values, chances, number) {
  const all = values.map(([, one]) => one);
  const [low, high] = chances ? [0, 1] : [Math.min(0, ...all), Math.max(...all)];
  const line = h("div", { class: `bar c${number.get(name) % 8}` });
  line.style.width = `${high > low ? (100 * (value - low)) / (high - low) : 0}%`;
  const text = chances ? value.toFixed(3) : Number(value.toFixed(3)).toLocaleString("en");
  return h(
    "tr",
    {},
    h("th", { scope: "row" }, mark(number.get(name)), name),
    h("td", { class: "number" }, text),
    h("td", { class: "track", "aria-hidden": "true" }, line),
  );
}

function stacked(probabilities, number) {
  return Object.entries(probabilities)
    .filter(([, chance]) => chance >= 0.005)
    .sort((a, b) => b[1] - a[1])
    .map(([name, chance]) => {
      const part = h("span", {
        class: `c${number.get(name) % 8}`,
        title: `${name}: ${chance.toFixed(2)}`,
      });
      part.style.flexGrow = chance;
      return part;
    });
}

function refusals(rules) {
  const reasons = new Map();
  for (const { rule, error } of rules.filter((one) => one.error)) {
    const reason = error.startsWith(`${rule} `) ? error.slice(rule.length + 1) : error;
    reasons.set(reason, [...(reasons.get(reason) ?? []), title(rule)]);
  }
  if (!reasons.size) return [];
  const lines = [...reasons].map(([reason, who]) =>
    h("li", {}, h("b", {}, listed(who)), ` ${reason}`),
  );
  return [h("h3", {}, "Not counted"), h("ul", {}, lines)];
}
