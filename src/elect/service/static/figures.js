// What all pictures share: a frame with a title, a sentence, a drawing and the same as a table.

import { h, s, say } from "./dom.js";

const pen = document.createElement("canvas").getContext("2d");

/**
 * A picture in its frame. It is drawn for the width it has: at once if it is in sight, else when
 * all is quiet.
 *
 * `draw(data, width)` makes the SVG, `tell(data)` says in a sentence what it shows, and
 * `table(data)` gives rows of cells, of which the first row and the first column are heads.
 */
export function createFigure({ id, name, note, draw, tell, table, controls = [] }) {
  const canvas = h("div", { class: "canvas" });
  const sheet = h("div", {
    class: "sheet",
    tabindex: 0,
    role: "region",
    "aria-label": `${name} as a table`,
  });
  const details = h("details", { class: "as-table" }, h("summary", {}, "As a table"), sheet);
  const remark = h("p", { class: "quiet" });
  const heading = h("h3", { id: `${id}-title` }, name);
  const element = h(
    "figure",
    { id, class: "figure", "aria-labelledby": `${id}-title` },
    h("figcaption", {}, heading, h("p", { class: "quiet" }, note)),
    ...controls,
    canvas,
    remark,
    details,
  );
  let data = null;
  let drawn = null; // The data and the width of what is on the canvas.
  let visible = false;
  let later = 0;

  function refresh() {
    const width = Math.floor(canvas.clientWidth);
    if (!data || !width || (drawn?.data === data && drawn.width === width)) return;
    drawn = { data, width };
    const picture = draw(data, width);
    picture.setAttribute("role", "img");
    picture.setAttribute("aria-label", tell(data));
    canvas.replaceChildren(picture);
    if (details.open) fill();
  }
  const fill = () => sheet.replaceChildren(toTable(table(data)));

  element.hidden = !controls.length;
  details.addEventListener("toggle", () => details.open && data && fill());
  new ResizeObserver(() => visible && refresh()).observe(canvas);
  new IntersectionObserver(([entry]) => {
    visible = entry.isIntersecting;
    if (visible) refresh();
  }).observe(element);
  return {
    element,
    remark: (text) => say(remark, text),
    show(next) {
      data = next;
      element.hidden = !next;
      clearTimeout(later);
      if (visible) refresh();
      else later = setTimeout(refresh, 400);
    },
  };
}

function toTable([head, ...rows]) {
  return h(
    "table",
    {},
    h(
      "thead",
      {},
      h(
        "tr",
        {},
        head.map((cell) => h("th", { scope: "col" }, String(cell))),
      ),
    ),
    h(
      "tbody",
      {},
      rows.map(([first, ...cells]) =>
        h(
          "tr",
          {},
          h("th", { scope: "row" }, String(first)),
          cells.map((cell) => h("td", {}, String(cell))),
        ),
      ),
    ),
  );
}

/** The size of a root em in pixels, by which everything is drawn. */
export const em = () => parseFloat(getComputedStyle(document.documentElement).fontSize);

/** How wide a text is in the letters of pictures. */
export function widthOf(text) {
  pen.font = `${0.8125 * em()}px ${getComputedStyle(document.body).fontFamily}`;
  return pen.measureText(text).width;
}

/** The text, cut to a width. */
export function fit(text, width) {
  if (widthOf(text) <= width) return text;
  const letters = [...text];
  while (letters.length > 1 && widthOf(`${letters.join("")}…`) > width) letters.pop();
  return `${letters.join("").trimEnd()}…`;
}

/** An empty picture of this size in pixels. */
export function canvasOf(width, height, ...children) {
  return s("svg", { width, height, viewBox: `0 0 ${width} ${height}` }, ...children);
}

/** A text at a place, with the whole of it at hand if it had to be cut. */
export function label(text, x, y, { width = Infinity, ...attributes } = {}) {
  const shown = fit(text, width);
  return s("text", { x, y, ...attributes }, shown, shown === text ? null : s("title", {}, text));
}

export const format = (value) => Number(value.toFixed(2)).toLocaleString("en");
