// The majority graph: an arrow for each pair, from its winner to its loser.

import { count, listed, s } from "./dom.js";
import { canvasOf, createFigure, em, label, widthOf } from "./figures.js";
import { byWins, cut, largest } from "./margins.js";

const MOST = 24; // Candidates in the drawing; the table has everyone.
const NUMBERED = 5; // Up to so many, arrows have room for numbers.

export const majorities = () =>
  createFigure({
    id: "majorities",
    name: "Majorities",
    note: "An arrow leads from the winner of each pair to the loser; the thicker, the clearer.",
    draw,
    tell: ({ candidates, condorcet }) =>
      `Majority graph of ${count(candidates.length, "candidate")}. ` +
      `${condorcet ?? "Nobody"} beats everyone else.`,
    table: (data) => [
      ["Candidate", "beats", "ties", "loses to"],
      ...byWins(data).map((a) => [
        data.candidates[a],
        ...[1, 0, -1].map((sign) => against(data, a, sign)),
      ]),
    ],
  });

const against = ({ candidates, margins: matrix }, a, sign) =>
  listed(candidates.filter((_, b) => a !== b && Math.sign(matrix[a][b]) === sign)) || "nobody";

function draw(data, width) {
  const unit = em();
  const order = byWins(data).slice(0, MOST);
  const room = Math.min(Math.max(...data.candidates.map(widthOf)) + 1.4 * unit, width * 0.27);
  const radius = Math.max(3 * unit, Math.min((width - 2 * room) / 2 - 0.4 * unit, 9.5 * unit));
  const nodes = order.map((c, i) => {
    const angle = (2 * Math.PI * i) / order.length - Math.PI / 2;
    const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
    return { c, cos, sin, x: width / 2 + radius * cos, y: 2.2 * unit + radius * (1 + sin) };
  });
  const dot = (order.length > 12 ? 0.45 : 0.6) * unit;
  const most = largest(data);
  const edges = nodes.flatMap((from, i) =>
    nodes
      .filter(({ c }) => data.margins[from.c][c] > 0 || (!data.margins[from.c][c] && from.c < c))
      .map((to) => {
        const apart = Math.abs(i - nodes.indexOf(to));
        // Diagonals cross further in, so their numbers keep to the winner's end.
        const place = apart === 1 || apart === nodes.length - 1 ? 0.5 : 0.23;
        return drawEdge(data, from, to, {
          unit,
          dot,
          most,
          place,
          numbered: nodes.length <= NUMBERED,
        });
      }),
  );
  const height = 2 * radius + 4.4 * unit;
  const note = cut(order.length, data.candidates.length, height - 0.2 * unit);
  const people = nodes.map((node) => drawNode(data, node, { unit, dot, room }));
  return fading(canvasOf(width, height, edges, people, note));
}

function drawEdge({ candidates, margins: matrix }, from, to, { unit, dot, most, place, numbered }) {
  const margin = matrix[from.c][to.c];
  const [winner, loser] = [candidates[from.c], candidates[to.c]];
  const strength = margin / most;
  const line = arrow(from, to, dot * 1.35, margin ? unit * (0.45 + 0.3 * strength) : 0, place);
  const ends = { class: "edge", "data-ends": `${from.c} ${to.c}` };
  if (!margin) {
    const tie = s("path", { class: "tie", d: line.shaft });
    return s("g", ends, s("title", {}, `${winner} and ${loser} tie`), tie);
  }
  const opacity = 0.35 + 0.65 * strength;
  const [x, y] = line.place;
  return s(
    "g",
    ends,
    s("title", {}, `${winner} beats ${loser} by ${count(margin, "voter")}`),
    s("path", { d: line.shaft, "stroke-width": unit * (0.06 + 0.16 * strength), opacity }),
    s("path", { class: "tip", d: line.tip, opacity }),
    numbered ? s("text", { class: "centre middle halo", x, y }, margin.toLocaleString("en")) : null,
  );
}

function drawNode({ candidates, colours }, { c, cos, sin, x, y }, { unit, dot, room }) {
  const above = Math.abs(cos) < 0.3; // Above or below the circle there is room on both sides.
  const dx = above ? 0 : Math.sign(cos) * 1.1 * unit;
  const dy = above ? Math.sign(sin) * 1.5 * unit : sin * 0.6 * unit;
  const side = above ? "centre" : cos < 0 ? "end" : "start";
  const width = above ? room * 1.6 : room - 0.8 * unit;
  return s(
    "g",
    { class: `node c${colours[c] % 8}`, "data-node": c },
    s("circle", { cx: x, cy: y, r: dot }),
    label(candidates[c], x + dx, y + dy, { width, class: `${side} middle` }),
  );
}

/** A straight shaft that stops short of both ends, its tip, and a place for a number on it. */
function arrow(from, to, gap, head, place) {
  const length = Math.hypot(to.x - from.x, to.y - from.y) || 1;
  const [ux, uy] = [(to.x - from.x) / length, (to.y - from.y) / length];
  const along = (distance, aside = 0) => [
    from.x + ux * distance - uy * aside,
    from.y + uy * distance + ux * aside,
  ];
  const path = (...points) =>
    `M${points.map(([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`).join("L")}`;
  const end = length - gap;
  return {
    shaft: path(along(gap), along(end - head * 0.8)),
    tip: `${path(along(end), along(end - head, head * 0.42), along(end - head, -head * 0.42))}Z`,
    place: along(length * place),
  };
}

/** Whoever is pointed at keeps its arrows, and the others fade. */
function fading(picture) {
  const choose = (chosen) => {
    for (const edge of picture.querySelectorAll(".edge")) {
      const kept = chosen === undefined || edge.dataset.ends.split(" ").includes(chosen);
      edge.classList.toggle("faded", !kept);
    }
  };
  picture.addEventListener("pointerover", ({ target }) =>
    choose(target.closest(".node")?.dataset.node),
  );
  picture.addEventListener("pointerleave", () => choose(undefined));
  return picture;
}
