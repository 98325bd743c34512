// SPDX-License-Identifier: BSD-3-Clause
// Each figure as {traces, xaxis, yaxis, ...}: plain values for plotly, made of the tables of
// figures. Nothing here looks at the page.

/**
 * What a time can be shown as. `best` is the value at the floor: no algorithm gets beyond it;
 * `published` that of a line of published figures.
 */
const UNITS = {
  ratio: {
    title: "times as fast as native", format: times, upwards: true,
    of: (p) => p.ratio_to_native,
    band: (p) => [p.high_us, p.low_us].map((us) => (p.ratio_to_native * p.median_us) / us),
    best: (p) => (p.algorithm === "native" ? (p.ratio_to_native * p.median_us) / p.floor_us : null),
    published: (p) => p.ratio_to_native,
  },
  time: {
    title: "time", format: time, upwards: false,
    of: (p) => p.median_us,
    band: (p) => [p.low_us, p.high_us],
    best: (p) => p.floor_us,
    published: (p) => p.time_us,
  },
  rate: {
    title: "bytes a second", format: rate, upwards: true,
    of: (p) => (p.bytes / p.median_us) * 1e6,
    band: (p) => [p.high_us, p.low_us].map((us) => (p.bytes / us) * 1e6),
    best: (p) => (p.bytes / p.floor_us) * 1e6,
    published: (p) => (p.bytes / p.time_us) * 1e6,
  },
  allowed: {
    title: "part of what the wires allow", format: percent, upwards: true, linear: true,
    of: (p) => (p.over_floor ? 1 / p.over_floor : null),
    band: (p) => [p.high_us, p.low_us].map((us) => p.floor_us / us),
    best: () => 1,
    published: () => null,
  },
};

/** Where in a chart of that unit the faster lines are. */
const better = (unit) =>
  (unit === UNITS.ratio ? "Native is the line at 1. " : "") + (unit.upwards ? "Higher" : "Lower") + " is faster.";

/** The title of an axis of times, with its second unit where those of `points` are slowed. */
function ofTime(title, points) {
  const units = distinct(points.map((p) => p.slower)).filter((slower) => slower > 1)
    .map((slower) => `${time(slower)} = 1 µs at full speed`);
  return units.length ? `${title} (${units.join("; ")})` : title;
}

function byCurve(points) {
  const found = new Map();
  for (const p of points) found.set(p.curve, [...(found.get(p.curve) || []), p]);
  return found;
}

function told(p) {
  return `<b>${p.curve}</b>, ${size(p.bytes)}<br>median ${both(p.median_us, p.slower)}, ` +
    `runs ${time(p.low_us)} to ${time(p.high_us)}` +
    (p.ratio_to_native ? `<br>${times(p.ratio_to_native)} as fast as native` : "") +
    (p.over_floor ? `<br>${percent(1 / p.over_floor)} of what the wires allow` : "");
}

function curveTraces(look, points, unit) {
  const traces = [];
  for (const [name, all] of byCurve(points)) {
    const known = all.filter((p) => unit.of(p) > 0);
    if (!known.length) continue;
    const x = known.map((p) => atZero(p.bytes));
    const own = style(look, known[0]);
    const bands = known.map(unit.band);
    const edge = { x, mode: "lines", line: { width: 0 }, hoverinfo: "skip", type: "scatter", meta: "band" };
    traces.push(
      { ...edge, y: bands.map((b) => b[0]) },
      { ...edge, y: bands.map((b) => b[1]), fill: "tonexty", fillcolor: faded(own.colour, 0.13) },
      line(name, x, known.map(unit.of), own, { meta: "curve", text: known.map(told) }));
  }
  return traces;
}

/** What was predicted, for those that have a prediction. */
function predictedTraces(look, points, unit) {
  const traces = [];
  for (const [name, all] of byCurve(points.filter((p) => p.predicted_us))) {
    const value = (p) => unit.of({ ...p, median_us: p.predicted_us,
      ratio_to_native: p.ratio_to_native && (p.ratio_to_native * p.median_us) / p.predicted_us,
      over_floor: p.over_floor && (p.over_floor * p.predicted_us) / p.median_us });
    const known = all.filter((p) => value(p) > 0);
    if (!known.length) continue;
    const own = style(look, known[0]);
    traces.push(line(`predicted: ${name}`, known.map((p) => atZero(p.bytes)), known.map(value),
      { ...own, dash: "1px,3px", symbol: `${own.symbol}-open` }, {
        meta: "predicted",
        text: known.map((p) => `<b>${name}</b>, ${size(p.bytes)}<br>predicted ` +
          `${both(p.predicted_us, p.slower)}, measured ${both(p.median_us, p.slower)}`),
      }));
  }
  return traces;
}

/** The best that is possible at each size, and the hatched area beyond it. */
function floorTraces(look, points, unit, range) {
  const bySize = new Map();
  for (const p of points) {
    const value = p.floor_us ? unit.best(p) : null;
    if (!(value > 0)) continue;
    const before = bySize.get(p.bytes);
    const better = unit.upwards ? Math.max : Math.min;
    bySize.set(p.bytes, before === undefined ? value : better(before, value));
  }
  const sizes = ascending([...bySize.keys()]);
  if (!sizes.length) return [];
  const paint = look.paint("--soft");
  const [low, high] = unit.linear ? range : range.map((e) => 10 ** e);
  const beyond = unit.upwards ? high : low;
  const y = sizes.map((s) => bySize.get(s));
  const shared = { type: "scatter", mode: "lines", x: sizes.map(atZero) };
  return [
    { ...shared, y: y.map((v) => (unit.upwards ? Math.max(v, beyond) : Math.min(v, beyond))),
      line: { width: 0 }, hoverinfo: "skip", meta: "beyond" },
    { ...shared, y, name: "what the wires allow", meta: "floor",
      line: { color: paint, width: 1.3 }, fill: "tonexty", fillcolor: "rgba(0,0,0,0)",
      fillpattern: { shape: "/", fgcolor: paint, fgopacity: 0.4, size: 9, solidity: 0.12 },
      text: sizes.map((s) => `the wires allow ${unit.format(bySize.get(s))}`),
      hovertemplate: "%{text}<extra></extra>" },
  ];
}

function publishedTraces(look, lines, unit) {
  return distinct(lines.map((p) => p.algorithm)).map((algorithm) => {
    const known = lines.filter((p) => p.algorithm === algorithm && unit.published(p) > 0);
    const own = look.algorithms.includes(algorithm)
      ? style(look, { algorithm }) : { colour: look.paint("--soft"), symbol: "circle" };
    return line(`published: ${algorithm}`, known.map((p) => atZero(p.bytes)), known.map(unit.published),
      { ...own, dash: "1px,3px", symbol: `${own.symbol}-open` }, {
        meta: "published",
        text: known.map((p) =>
          `<b>${algorithm}</b>, ${size(p.bytes)}<br>${unit.format(unit.published(p))}<br>${p.place}`),
      });
  });
}

/**
 * Curves against size. `all` are the points that the axis has room for, `points` those shown of them;
 * `labels`: whether lines have their names at their ends.
 */
function curvesFigure(look, { all, points, published = [], unit, labels, dense }) {
  const curves = [...curveTraces(look, points, unit), ...predictedTraces(look, points, unit),
    ...publishedTraces(look, published, unit)];
  const drawn = curves.filter((t) => t.meta !== "band");
  const bands = curves.flatMap((t) => t.y);
  const best = points.filter((p) => p.floor_us).map(unit.best);
  const near = unit === UNITS.time || unit === UNITS.rate ? best : []; // far ones would flatten the rest
  const one = unit === UNITS.ratio ? [0.9, 1, 1.1] : [];
  const range = unit.linear ? [0, 1.12] : logRange([...bands, ...near, ...one]);
  const traces = [...floorTraces(look, points, unit, range), ...curves];
  const xaxis = sizeAxis(look, [...all.map((p) => p.bytes),
    ...drawn.filter((t) => t.meta === "published").flatMap((t) => t.x)], dense ? 0.27 : 0.08);
  const height = unit.linear ? (v) => v : Math.log10;
  const title = unit === UNITS.time ? ofTime(unit.title, all) : unit.title;
  const ends = drawn.filter((t) => t.meta === "curve").map((t) => ({
    name: t.name, colour: t.line.color, x: Math.log10(t.x.at(-1)), y: height(t.y.at(-1)),
  }));
  return {
    traces, xaxis,
    yaxis: unit.linear
      ? axis(look, title, { range, tickformat: ".0%" })
      : axis(look, title, { type: "log", range,
        ...ticks([10 ** range[0], 10 ** range[1]], unit.format) }),
    annotations: labels ? endLabels(look, ends, range, 0.055) : [],
    shapes: unit === UNITS.ratio ? [{ type: "line", xref: "paper", x0: 0, x1: 1, y0: 1, y1: 1,
      layer: "below", line: { color: look.paint("--soft"), width: 1.2 } }] : [],
  };
}

// ---- samples ---------------------------------------------------------------------------------

const shares = (values) => values.map((_, i) => (i + 1) / values.length);

/** `cases`: [point, {run: times}] of each curve. */
function distributionFigure(look, cases) {
  const traces = [];
  for (const [p, byRun] of cases) {
    const own = style(look, p);
    const runs = Object.values(byRun).map(ascending);
    const all = ascending(runs.flat());
    const step = { shape: "hv", dash: own.dash };
    for (const run of runs.length > 1 ? runs : [])
      traces.push(line(p.curve, run, shares(run), own, {
        mode: "lines", opacity: 0.3, hoverinfo: "skip", meta: "run", hovertemplate: undefined,
        line: { ...step, dash: "solid", color: own.colour, width: 1 } }));
    traces.push(line(p.curve, all, shares(all), own, {
      mode: "lines", meta: "all", line: { ...step, color: own.colour, width: 2.4 },
      text: all.map(time),
      hovertemplate: `<b>${p.curve}</b><br>%{y:.0%} of samples within %{text}<extra></extra>` }));
  }
  return {
    traces,
    xaxis: axis(look, ofTime("time of a repetition", cases.map(([p]) => p)),
      { type: "log", ...ticks(traces.flatMap((t) => t.x), time) }),
    yaxis: axis(look, "share of the samples", { tickformat: ".0%", range: [0, 1.03] }),
  };
}

function orderFigure(look, cases) {
  const traces = cases.map(([p, byRun]) => {
    const own = style(look, p);
    const runs = Object.entries(byRun);
    const y = runs.flatMap(([, taken]) => taken);
    const run = runs.flatMap(([number, taken]) => taken.map(() => number));
    return line(p.curve, y.map((_, i) => i + 1), y, own, {
      mode: "markers",
      marker: { size: 5.5, color: own.colour, symbol: own.symbol, opacity: 0.8 },
      text: y.map((us, i) => `<b>${p.curve}</b><br>${both(us, p.slower)}, run ${run[i]}`) });
  });
  const lengths = cases.length ? Object.values(cases[0][1]).map((taken) => taken.length) : [];
  let at = 0.5;
  const shapes = lengths.slice(0, -1).map((length) => ({
    type: "line", yref: "paper", y0: 0, y1: 1, x0: (at += length), x1: at,
    line: { color: look.paint("--soft"), width: 1, dash: "dot" } }));
  return {
    traces, shapes,
    xaxis: axis(look, "sample, run after run"),
    yaxis: axis(look, ofTime("time", cases.map(([p]) => p)),
      { type: "log", ...ticks(traces.flatMap((t) => t.y), time) }),
  };
}

// ---- lanes -----------------------------------------------------------------------------------

function scalingFigure(look, lines) {
  const probe = !lines.some((l) => look.algorithms.includes(l.curve));
  const traces = [];
  distinct(lines.map((l) => l.curve)).forEach((curve, i) => {
    const known = lines.filter((l) => l.curve === curve);
    const own = probe
      ? { colour: look.paint(colourName(i + 1)), dash: DASHES[i % DASHES.length], symbol: SYMBOLS[i % 8] }
      : style(look, { algorithm: curve });
    const x = known.map((l) => l.lanes);
    const soft = look.paint("--soft");
    if (probe || i === 0)
      traces.push(line(probe ? `ideal, ${curve}` : "ideal", x, known.map((l) => l.ideal),
        { colour: soft, dash: "2px,4px" }, { mode: "lines", meta: "ideal", hoverinfo: "skip", hovertemplate: undefined }));
    traces.push(line(curve, x, known.map((l) => l.speedup), own, {
      meta: "curve",
      text: known.map((l) =>
        `<b>${curve}</b>, ${l.lanes} lanes<br>${times(l.speedup)} as fast, ${time(l.median_us)}`) }));
  });
  return {
    traces,
    xaxis: axis(look, probe ? "processes of a node that send at once" : "lanes",
      { tickvals: distinct(lines.map((l) => l.lanes)) }),
    yaxis: axis(look, "times as fast", { rangemode: "tozero" }),
    showlegend: true, legend: { orientation: "h", y: 1.02, yanchor: "bottom", x: 0 },
  };
}

const laneBar = (look, i) => ({
  color: look.paint(colourName(i + 1)),
  pattern: { shape: PATTERNS[i % PATTERNS.length], fgcolor: look.paint("--card"), fgopacity: 0.8, size: 7,
    fillmode: "overlay" },
});

/** What the busiest node moved over each lane in one call, beside the least that it must. */
function carriedFigure(look, lines) {
  const curves = distinct(lines.map((l) => l.curve));
  const traces = distinct(lines.map((l) => l.lane)).map((lane, i) => {
    const known = lines.filter((l) => l.lane === lane);
    return {
      type: "bar", orientation: "h", name: lane, meta: "lane", y: known.map((l) => l.curve),
      x: known.map((l) => l.busiest_bytes), marker: laneBar(look, i),
      text: known.map((l) => `<b>${l.curve}, ${lane}</b><br>${amount(l.busiest_bytes)} at the busiest node, ` +
        `${amount(l.sent_bytes)} sent by all nodes: ${percent(l.share)} of what all lanes sent` +
        (l.busy === null ? "" : `<br>busy ${percent(l.busy)} of the time`)),
      textposition: "none", hovertemplate: "%{text}<extra></extra>",
    };
  });
  const least = lines.map((l) => l.least_bytes).find((bytes) => bytes > 0);
  const most = Math.max(...lines.map((l) => l.busiest_bytes), least || 0);
  const nice = niceSteps(most);
  return {
    traces, curves,
    xaxis: axis(look, "bytes over a lane in one call",
      { range: [0, most * 1.06], tickvals: nice, ticktext: nice.map(amount) }),
    yaxis: axis(look, "", { autorange: "reversed", ticks: "" }),
    barmode: "group", bargap: 0.25, showlegend: true, top: 44,
    legend: { orientation: "h", y: 1, yref: "container", yanchor: "top", x: 0 },
    shapes: least ? [{ type: "line", yref: "paper", y0: 0, y1: 1, x0: least, x1: least,
      line: { color: look.paint("--ink"), width: 1.6, dash: "6px,3px" } }] : [],
    annotations: least ? [{ text: `at least ${amount(least)}`, x: least, y: 1, yref: "paper",
      yanchor: "bottom", xanchor: "left", showarrow: false, font: { size: 11.5, color: look.paint("--ink") } }] : [],
  };
}

/** A few round values from zero to `most`. */
function niceSteps(most) {
  if (!(most > 0)) return [0];
  const power = 10 ** Math.floor(Math.log10(most));
  const step = [0.2, 0.5, 1, 2].map((m) => m * power).find((s) => most / s <= 6);
  return Array.from({ length: Math.floor(most / step) + 1 }, (_, i) => +(i * step).toPrecision(6));
}

function countersFigure(look, lines) {
  const traces = distinct(lines.map((c) => c.lane)).map((lane, i) => {
    const known = lines.filter((c) => c.lane === lane);
    return {
      type: "bar", name: `lane ${lane}`, x: known.map((c) => `node ${c.node}`),
      y: known.map((c) => c.sent_bytes / 1e6), marker: laneBar(look, i),
      text: known.map((c) => `sent ${amount(c.sent_bytes)}<br>received ` +
        `${amount(c.received_bytes)}<br>${c.dropped_packets} packets dropped`),
      textposition: "none", hovertemplate: `<b>%{x}, lane ${lane}</b><br>%{text}<extra></extra>`,
    };
  });
  return {
    traces, barmode: "group",
    xaxis: axis(look, ""), yaxis: axis(look, "sent, MB", { rangemode: "tozero" }),
    showlegend: true, legend: { orientation: "h", y: 1.02, yanchor: "bottom", x: 0 },
  };
}
