// SPDX-License-Identifier: BSD-3-Clause
// How figures look. Lines are told apart by colour, dashes and markers alike: whoever sees no
// colours, or a copy in grey, sees the others.
//
// `look` is what drawing needs to know of the page: {algorithms, paint(name of a CSS colour)}.

const SYMBOLS = ["circle", "square", "diamond", "triangle-up", "cross", "x", "star", "pentagon"];
const DASHES = [
  "solid", "10px,4px", "3px,3px", "10px,3px,2px,3px", "18px,4px", "6px,2px,2px,2px,2px,2px", "5px,5px",
];
const PATTERNS = ["", "/", ".", "x", "-", "|", "+", "\\"];
const COLOURS = 8;

const index = (look, algorithm) => Math.max(0, look.algorithms.indexOf(algorithm));
const colourName = (number) => `--c${number % COLOURS}`;

/** Of an algorithm's line; where it is there for several bindings, all but the first are hollow. */
function style(look, { algorithm, curve = algorithm, binding = "lane" }) {
  const number = index(look, algorithm);
  const hollow = curve.includes("(") && binding !== "lane";
  return {
    variable: colourName(number),
    colour: look.paint(colourName(number)),
    dash: DASHES[number % DASHES.length],
    symbol: SYMBOLS[number % SYMBOLS.length] + (hollow ? "-open" : ""),
  };
}

function faded(hex, alpha) {
  const [r, g, b] = [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));
  return `rgba(${r},${g},${b},${alpha})`;
}

function line(name, x, y, { colour, dash, symbol }, more) {
  return {
    type: "scatter", mode: "lines+markers", name, x, y,
    line: { color: colour, width: 2.2, dash },
    marker: { size: 8, color: colour, symbol, line: { color: colour, width: 1.5 } },
    hovertemplate: "%{text}<extra></extra>",
    ...more,
  };
}

// ---- axes ------------------------------------------------------------------------------------

function axis(look, title, more) {
  return {
    title: { text: title, standoff: 8 },
    gridcolor: look.paint("--line"),
    zerolinecolor: look.paint("--line"),
    linecolor: look.paint("--line"),
    automargin: true,
    ...more,
  };
}

/** Values that are easily read, a few in each power of ten. */
function ticks(values, format) {
  const known = values.filter((value) => value > 0);
  if (!known.length) return {};
  const [low, high] = [Math.min(...known), Math.max(...known)];
  const found = [];
  for (let e = Math.floor(Math.log10(low)) - 1; e <= Math.ceil(Math.log10(high)); e += 1)
    for (const m of high / low > 100 ? [1] : high / low > 20 ? [1, 2, 5] : [1, 1.5, 2, 3, 4, 5, 7])
      found.push(+(m * 10 ** e).toPrecision(6));
  return { tickvals: found, ticktext: found.map(format) };
}

/** The ends of a logarithmic axis, with a little room; as powers of ten. */
function logRange(values) {
  const known = values.filter((value) => value > 0).map(Math.log10);
  if (!known.length) return [0, 1];
  const [low, high] = [Math.min(...known), Math.max(...known)];
  const room = Math.max(0.08, 0.06 * (high - low));
  return [low - room, high + room];
}

const atZero = (bytes) => bytes || 0.5; // a size of zero has a place on the logarithmic axis

/** Ticks at sizes that were measured, no closer than `gap`, a part of the axis' length. */
function sizeAxis(look, sizes, gap) {
  const all = ascending(distinct(sizes));
  const range = logRange(all.map(atZero));
  const shown = [];
  for (const bytes of [...all].reverse()) { // the largest has its tick
    const next = shown.at(-1);
    const apart = next === undefined ? 1 : Math.log10(atZero(next) / atZero(bytes)) / (range[1] - range[0]);
    if (apart >= gap) shown.push(bytes);
  }
  return axis(look, "size of the message", {
    type: "log", range, tickvals: shown.map(atZero), ticktext: shown.map(size),
  });
}

/**
 * Names at the right ends of lines. Such as would lie on each other are moved apart: by `gap`, a
 * part of the axis' length, in the order of the lines' ends.
 */
function endLabels(look, ends, range, gap) {
  const [low, high] = range;
  const step = gap * (high - low);
  const sorted = ends.map((end) => ({ ...end, at: end.y })).sort((a, b) => a.at - b.at);
  for (let i = 1; i < sorted.length; i += 1)
    sorted[i].at = Math.max(sorted[i].at, sorted[i - 1].at + step);
  const over = sorted.length ? sorted[sorted.length - 1].at - high : 0;
  if (over > 0) {
    let top = high;
    for (let i = sorted.length - 1; i >= 0; i -= 1, top -= step)
      sorted[i].at = Math.min(sorted[i].at, top);
  }
  return sorted.map(({ name, x, at, colour }) => ({
    text: name.length > 24 ? `${name.slice(0, 22)}…` : name, x, y: at, xref: "x", yref: "y", xanchor: "left", yanchor: "middle", xshift: 10,
    showarrow: false, font: { color: colour, size: 12 },
  }));
}
