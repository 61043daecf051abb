// What the winners of each rule are worth in a culture, beside the best that rankings allow.

import { get, latest, post } from "./api.js";
import { count, h, s, say } from "./dom.js";
import { canvasOf, createFigure, em, label, widthOf } from "./figures.js";
import { title } from "./winners.js";

export function welfare() {
  const culture = h("select", { id: "welfare-culture" });
  const measure = h("select", { id: "welfare-measure" });
  const [voters, voterSlider] = range("welfare-voters", "Voters", 2, 99, 25);
  const [candidates, candidateSlider] = range("welfare-candidates", "Candidates", 2, 20, 5);
  const controls = h(
    "div",
    { class: "controls" },
    h("label", { for: culture.id }, "Culture"),
    culture,
    h("label", { for: measure.id }, "Welfare"),
    measure,
    voterSlider,
    candidateSlider,
  );
  const figure = createFigure({
    id: "welfare",
    name: "Welfare",
    note:
      "In many elections of a culture: the welfare of whom a rule elects, over the highest there " +
      "is. The line is the ceiling, the best that any rule can do that sees rankings only.",
    controls: [controls],
    draw,
    tell: (data) => `Distributions of welfare ratios; means: ${means(data)}.`,
    table: (data) => [
      ["Rule", "Mean ratio", "Elections within 2 % of the highest"],
      ...everyone(data).map((row) => [name(row), share(row.mean), share(row.histogram.at(-1))]),
    ],
  });
  let asked = false;
  const ask = latest(
    (wish) => post("/v1/welfare", wish),
    (answer) => {
      figure.show({ ...answer, rows: answer.rules.filter(({ error }) => !error) });
      figure.remark(remark(answer));
    },
    (error) => figure.remark(error.message),
  );
  const refresh = () => {
    asked = true;
    ask({
      culture: culture.value,
      welfare: measure.value,
      voters: Number(voters.value),
      candidates: Number(candidates.value),
      seed: 1,
    });
  };
  controls.addEventListener("input", refresh);
  Promise.all([get("/v1/cultures"), get("/v1/welfares")]).then(
    ([cultures, welfares]) => {
      const known = cultures.filter(({ utilities, settings }) => utilities && !settings.length);
      culture.replaceChildren(
        ...known.map(({ name: value }) => h("option", { value }, title(value))),
      );
      measure.replaceChildren(
        ...welfares.map(({ name: value }) => h("option", { value }, title(value))),
      );
      // It costs a second of work, so it waits until someone has scrolled here.
      new IntersectionObserver(([entry], observer) => {
        if (!entry.isIntersecting || asked) return;
        observer.disconnect();
        refresh();
      }).observe(figure.element);
    },
    (error) => figure.remark(error.message),
  );
  return figure;
}

function range(id, text, min, max, value) {
  const input = h("input", { id, type: "range", min, max, value });
  const output = h("output", { for: id }, String(value));
  input.addEventListener("input", () => say(output, input.value));
  return [input, h("div", { class: "slider" }, h("label", { for: id }, text), input, output)];
}

const share = (value) => value.toFixed(3);

const name = ({ rule, kind }) => (kind === "best possible" ? "Ceiling" : title(rule));

const everyone = ({ rows, best }) => (best ? [best, ...rows] : rows);

const means = (data) =>
  everyone(data)
    .map((row) => `${name(row)} ${share(row.mean)}`)
    .join(", ");

function remark({ elections, voters, candidates, best }) {
  const many = `${count(elections, "election")} of ${voters} voters and ${candidates} candidates`;
  const scale = "heights are square roots of shares, so that rare losses show";
  return `${many}; ${scale}.${best ? "" : " The ceiling of this culture is not known."}`;
}

function draw(data, width) {
  const { best, edges } = data;
  const unit = em();
  const shown = everyone(data);
  const room = Math.min(Math.max(...shown.map((row) => widthOf(name(row)))) + unit, width * 0.36);
  const first = firstBin(shown);
  const span = width - room - widthOf("mean 0.000") - unit;
  const most = Math.max(...shown.flatMap(({ histogram }) => histogram.slice(first)));
  const scale = {
    ...{ unit, room, span, first, edges, best },
    step: span / (edges.length - 1 - first),
    x: (ratio) => room + (span * (ratio - edges[first])) / (1 - edges[first]),
    height: (part) => 2.6 * unit * Math.sqrt(part / most),
  };
  const lines = shown.map((one, r) => drawRow(one, scale, (r + 1) * 3.4 * unit));
  const foot = shown.length * 3.4 * unit + 1.7 * unit;
  const ticks = [0, 0.25, 0.5, 0.75, 1].map((part) => {
    const ratio = edges[first] + part * (1 - edges[first]);
    return s("text", { class: "centre small", x: scale.x(ratio), y: foot }, ratio.toFixed(2));
  });
  return canvasOf(width, foot + 0.5 * unit, lines, ticks);
}

function drawRow(one, { unit, room, span, first, edges, best, step, x, height }, base) {
  const isBest = one === best;
  const bars = one.histogram.slice(first).map((part, k) => {
    const [from, to] = [edges[first + k], edges[first + k + 1]].map((edge) => edge.toFixed(2));
    const tip = `${name(one)}, ratio ${from} to ${to}: ${(100 * part).toFixed(1)} % of elections`;
    const box = { x: room + k * step, y: base - height(part), height: height(part) };
    return s("rect", { class: "bar", width: step * 0.96, ...box }, s("title", {}, tip));
  });
  const ceiling =
    best && !isBest ? stairs(best.histogram.slice(first).map(height), room, base, step) : null;
  const text = { width: room - 0.6 * unit, class: isBest ? "strong" : null };
  return s(
    "g",
    { class: isBest ? "best" : one.kind },
    label(name(one), 0, base - 0.5 * unit, text),
    s("path", { class: "axis", d: `M${room} ${base}h${span}` }),
    bars,
    ceiling ? s("path", { class: "ceiling", d: ceiling }) : null,
    s("path", { class: "mean", d: `M${x(one.mean)} ${base}v${0.45 * unit}` }),
    label(`mean ${share(one.mean)}`, room + span + 0.6 * unit, base - 0.2 * unit),
  );
}

/** Where the histograms begin to have anything to show. */
function firstBin(rows) {
  const sum = (values) => values.reduce((total, value) => total + value, 0);
  const nothing = (bin) => rows.every(({ histogram }) => sum(histogram.slice(0, bin)) < 0.002);
  let first = 0;
  while (first < rows[0].histogram.length - 10 && nothing(first + 1)) first += 1;
  return first;
}

function stairs(heights, x, base, step) {
  const points = heights.map(
    (height, k) => `L${(x + k * step).toFixed(1)} ${(base - height).toFixed(1)}h${step.toFixed(1)}`,
  );
  return `M${x} ${base}${points.join("")}V${base}`;
}
