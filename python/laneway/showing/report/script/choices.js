// SPDX-License-Identifier: BSD-3-Clause
// What is chosen, and the figures that follow from it.

const byId = (id) => document.getElementById(id);
const root = document.documentElement;

/** Which case is looked at, in which unit, beside which published figures; curves not shown. */
const chosen = { hidden: new Set(), unit: "time", reference: "" };

const narrow = () => root.clientWidth < 640;

function look() {
  const computed = getComputedStyle(root);
  return { algorithms: data.algorithms, paint: (name) => computed.getPropertyValue(name).trim() };
}

function draw(id, { traces, xaxis, yaxis, annotations = [], top = 22, ...more }) {
  const { paint } = look();
  const names = annotations.filter((a) => a.xref === "x").map((a) => a.text.length);
  const layout = {
    paper_bgcolor: "rgba(0,0,0,0)",
    plot_bgcolor: "rgba(0,0,0,0)",
    font: { color: paint("--ink"), family: getComputedStyle(document.body).fontFamily, size: 12.5 },
    margin: { l: narrow() ? 48 : 62, r: names.length ? 24 + 7 * Math.max(...names) : 14, t: top, b: 46 },
    hoverlabel: { bgcolor: paint("--card"), bordercolor: paint("--line"), font: { color: paint("--ink") } },
    modebar: { bgcolor: "rgba(0,0,0,0)", color: paint("--soft"), activecolor: paint("--accent") },
    showlegend: false, hovermode: "closest", dragmode: narrow() ? false : "zoom",
    xaxis: { ...xaxis, fixedrange: narrow() },
    yaxis: { ...yaxis, fixedrange: narrow() },
    annotations, ...more,
  };
  return Plotly.react(byId(id), traces, layout, {
    responsive: true, displaylogo: false, displayModeBar: narrow() ? false : "hover",
    modeBarButtonsToRemove: ["select2d", "lasso2d", "autoScale2d"],
  });
}

// ---- the chosen case -------------------------------------------------------------------------

const isHere = (p) => p.place === chosen.place && p.operation === chosen.operation;
const here = () => data.points.filter(isHere);
const visible = () => here().filter((p) => !chosen.hidden.has(p.curve));
const atSize = (lines) => lines.filter((p) => p.bytes === chosen.bytes);
const shown = (line) => isHere(line) && line.bytes === chosen.bytes && !chosen.hidden.has(line.curve);

function drawCurves() {
  const published = data.reference.filter(
    (p) => p.place === chosen.reference && p.collective === chosen.collective);
  return draw("time-chart", curvesFigure(look(), {
    all: here(), points: visible(), published, unit: UNITS[chosen.unit],
    labels: !narrow(), dense: narrow() }));
}

function drawWires() {
  if (!byId("wires")) return undefined;
  const bounded = here().some((p) => p.over_floor);
  const lanes = data.carried.filter(shown);
  byId("allowed").hidden = !bounded;
  byId("carried").hidden = !lanes.length;
  byId("carried-missing").hidden = lanes.length > 0;
  byId("explained").replaceChildren(...explained(atSize(visible()), lanes).map(({ curve, told }) => {
    const item = document.createElement("li");
    item.append(Object.assign(document.createElement("b"), { textContent: curve }), ` ${told}.`);
    return item;
  }));
  const drawn = [];
  if (bounded)
    drawn.push(draw("allowed-chart", curvesFigure(look(), {
      all: here(), points: visible(), unit: UNITS.allowed, labels: !narrow(), dense: narrow() })));
  if (lanes.length) {
    const figure = carriedFigure(look(), lanes);
    const bars = figure.curves.length * figure.traces.length;
    byId("carried-chart").style.height = `${Math.min(60, 8 + 1.4 * bars)}rem`;
    drawn.push(draw("carried-chart", figure));
  }
  return Promise.all(drawn);
}

function drawSamples() {
  const samples = (p) => data.samples[[p.place, p.operation, p.curve, p.bytes].join("|")] || {};
  const cases = atSize(visible()).map((p) => [p, samples(p)]);
  return Promise.all([
    draw("distribution-chart", distributionFigure(look(), cases)),
    draw("order-chart", orderFigure(look(), cases))]);
}

function drawCase() {
  const winner = data.fastest[[chosen.place, chosen.operation, chosen.bytes].join("|")];
  byId("status").textContent = fastest(atSize(here()), winner, chosen.hidden);
  byId("direction").textContent = better(UNITS[chosen.unit]);
  const name = `${chosen.operation}, ${size(chosen.bytes)}, ${chosen.place}`;
  for (const place of document.querySelectorAll(".case")) place.textContent = name;
  markCells(chosen);
  return Promise.all([drawCurves(), drawWires(), drawSamples()]);
}

// ---- controls --------------------------------------------------------------------------------

function fill(select, values, value) {
  select.replaceChildren(...values.map(([own, text]) => new Option(text, own)));
  if (value !== undefined && values.some(([own]) => String(own) === String(value))) select.value = value;
}

const SHAPES = {
  circle: "M7 0a4 4 0 1 0 .01 0z", square: "M3.3.3h7.4v7.4H3.3z", diamond: "M7-1.2 12.2 4 7 9.2 1.8 4z",
  "triangle-up": "M7-.6 12 7.6H2z", cross: "M5.3-.6h3.4v2.9h2.9v3.4H8.7v2.9H5.3V5.7H2.4V2.3h2.9z",
  x: "m3 2 2-2 2 2 2-2 2 2-2 2 2 2-2 2-2-2-2 2-2-2 2-2z",
  star: "m7-1.6 1.5 3.8 4 .2L9.4 5l1 4L7 6.8 3.6 9l1-4L1.5 2.4l4-.2z",
  pentagon: "m7-.6 4.8 3.5L10 8.6H4L2.2 2.9z",
};

/** A piece of a curve's line with its marker. */
function swatch(point) {
  const own = style(look(), point);
  const hollow = own.symbol.endsWith("-open");
  const dashes = own.dash === "solid" ? "" : own.dash.replaceAll("px", "");
  const span = Object.assign(document.createElement("span"), { className: "swatch" });
  span.style.setProperty("--own", `var(${own.variable})`);
  span.innerHTML = `<svg viewBox="-16 -2 46 12" width="46" height="12" aria-hidden="true">` +
    `<path class="stroke" d="M-16 4h46" stroke-dasharray="${dashes}"/>` +
    `<path class="${hollow ? "hollow" : "solid"}" d="${SHAPES[own.symbol.replace("-open", "")]}"/></svg>`;
  return span;
}

function legend() {
  const labels = [...byCurve(here()).entries()].map(([curve, points]) => {
    const label = document.createElement("label");
    const box = Object.assign(document.createElement("input"),
      { type: "checkbox", value: curve, checked: !chosen.hidden.has(curve) });
    box.addEventListener("change", () => {
      chosen.hidden[box.checked ? "delete" : "add"](curve);
      drawCase();
    });
    label.append(box, swatch(points[0]), curve);
    return label;
  });
  byId("legend").replaceChildren(byId("legend").firstElementChild, ...labels);
}

const unitInputs = () => [...document.querySelectorAll("#unit input")];

/** Offers the units that there is something to show in. */
function offerUnits() {
  const offered = unitInputs().filter((input) => {
    const some = here().some((p) => UNITS[input.value].of(p) > 0);
    input.disabled = !some;
    return some;
  }).map((input) => input.value);
  if (!offered.includes(chosen.unit)) chosen.unit = offered[0] || "time";
  for (const input of unitInputs()) input.checked = input.value === chosen.unit;
}

function offerPublished() {
  const places = distinct(
    data.reference.filter((p) => p.collective === chosen.collective).map((p) => p.place));
  fill(byId("reference"), [["", "nothing published"], ...places.map((p) => [p, p])], chosen.reference);
  chosen.reference = byId("reference").value;
}

/** Takes over a choice and offers what goes with it. */
function choose(change) {
  Object.assign(chosen, change);
  fill(byId("place"), distinct(data.points.map((p) => p.place)).map((p) => [p, p]), chosen.place);
  chosen.place = byId("place").value;
  const operations = distinct(
    data.points.filter((p) => p.place === chosen.place).map((p) => p.operation));
  fill(byId("operation"), operations.map((o) => [o, o]), chosen.operation);
  chosen.operation = byId("operation").value;
  chosen.collective = here()[0].collective;
  const sizes = ascending(distinct(here().map((p) => p.bytes)));
  if (!sizes.includes(chosen.bytes)) chosen.bytes = sizes.at(-1);
  fill(byId("size"), sizes.map((s) => [s, size(s)]), chosen.bytes);
  offerUnits();
  if (byId("reference")) offerPublished();
  legend();
  return drawCase();
}

function listenToChoices() {
  const follow = (id, change) => byId(id)?.addEventListener("change", () => choose(change(byId(id).value)));
  follow("place", (place) => ({ place }));
  follow("operation", (operation) => ({ operation }));
  follow("size", (bytes) => ({ bytes: Number(bytes) }));
  follow("reference", (reference) => ({ reference }));
  for (const input of unitInputs())
    input.addEventListener("change", () => choose({ unit: input.value }));
}

// ---- lanes and counters ----------------------------------------------------------------------

const laneGroup = (l) => `${l.operation}: ${l.place}`;
const jobs = (c) => `${c.library}, ${c.lanes} lanes, binding ${c.binding}`;

function drawLanes() {
  const what = data.lanes.filter((l) => laneGroup(l) === byId("lanes-what").value);
  const sizes = ascending(distinct(what.map((l) => l.bytes)));
  fill(byId("lanes-size"), sizes.map((s) => [s, size(s)]), byId("lanes-size").value || sizes.at(-1));
  const lines = what.filter((l) => l.bytes === Number(byId("lanes-size").value));
  return draw("lanes-chart", scalingFigure(look(), lines));
}

function drawCounters() {
  const lines = data.counters.filter((c) => jobs(c) === byId("counters-what").value);
  return draw("counters-chart", countersFigure(look(), lines));
}

function offerLanes() {
  const groups = distinct(data.lanes.map(laneGroup));
  const first = data.focus && data.lanes.find((l) => l.operation === data.focus.operation);
  fill(byId("lanes-what"), groups.map((g) => [g, g]), first && laneGroup(first));
  byId("lanes-what").addEventListener("change", drawLanes);
  byId("lanes-size").addEventListener("change", drawLanes);
}

function offerCounters() {
  fill(byId("counters-what"), distinct(data.counters.map(jobs)).map((g) => [g, g]));
  byId("counters-what").addEventListener("change", drawCounters);
  // Nothing has a width while it is folded.
  byId("counters").addEventListener("toggle", () => byId("counters").open && drawCounters());
}

function redraw() {
  return Promise.all([
    data.points.length && choose({}), data.lanes.length && drawLanes(),
    data.counters.length && byId("counters").open && drawCounters()]);
}
