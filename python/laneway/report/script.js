// SPDX-License-Identifier: BSD-3-Clause
// The report's curves: what is chosen in its controls, drawn by plotly. The numbers come from
// figures.py, packed into the page; nothing is fetched.
"use strict";

(async () => {
  const byId = (id) => document.getElementById(id);
  const root = document.documentElement;

  async function unpack(id) {
    const bytes = Uint8Array.from(atob(byId(id).textContent), (c) => c.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Response(stream).text();
  }

  const data = JSON.parse(await unpack("packed-data"));
  const library = document.createElement("script");
  library.textContent = await unpack("packed-library");
  document.head.append(library);

  // ---- words -------------------------------------------------------------------------------

  const precise = (value) => (value >= 100 ? value.toFixed(0) : value.toPrecision(3));

  function scaled(value, units, step) {
    let i = 0;
    while (i + 1 < units.length && value >= step) {
      value /= step;
      i += 1;
    }
    return `${Number.isInteger(value) ? value : +value.toPrecision(3)} ${units[i]}`;
  }

  const size = (bytes) => scaled(bytes, ["B", "KiB", "MiB", "GiB"], 1024);
  const time = (us) => (us < 1 ? `${+(us * 1000).toPrecision(3)} ns` : scaled(us, ["µs", "ms", "s"], 1000));
  const rate = (perSecond) => scaled(perSecond, ["B/s", "kB/s", "MB/s", "GB/s"], 1000);
  const distinct = (values) => [...new Set(values)];

  // ---- colours and axes ----------------------------------------------------------------------

  const SYMBOLS = ["circle", "square", "diamond", "triangle-up", "cross", "x", "star", "pentagon"];
  const DASHES = { lane: "solid", all: "dash", one: "dot" };

  const colour = (name) => getComputedStyle(root).getPropertyValue(name).trim();
  const index = (algorithm) => Math.max(0, data.algorithms.indexOf(algorithm));
  const own = (algorithm) => `--c${index(algorithm) % 8}`;

  function faded(hex, alpha) {
    const [r, g, b] = [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));
    return `rgba(${r},${g},${b},${alpha})`;
  }

  function ticks(values, format) {
    const known = values.filter((value) => value > 0);
    if (!known.length) return {};
    const [low, high] = [Math.min(...known), Math.max(...known)];
    const found = [];
    for (let e = Math.floor(Math.log10(low)) - 1; e <= Math.ceil(Math.log10(high)); e += 1)
      for (const m of high / low > 100 ? [1] : high / low > 8 ? [1, 2, 5] : [1, 1.5, 2, 3, 4, 5, 7])
        found.push(m * 10 ** e);
    return { tickvals: found, ticktext: found.map(format) };
  }

  const atZero = (bytes) => bytes || 0.5; // a size of zero has a place on the logarithmic axis

  function sizeAxis(sizes) {
    const all = distinct(sizes).sort((a, b) => a - b);
    const every = Math.ceil(all.length / 10);
    const shown = all.filter((_, i) => i % every === 0);
    return axis("size", { type: "log", tickvals: shown.map(atZero), ticktext: shown.map(size) });
  }

  function axis(title, more) {
    return {
      title: { text: title, standoff: 8 },
      gridcolor: colour("--line"),
      zerolinecolor: colour("--line"),
      linecolor: colour("--line"),
      automargin: true,
      ...more,
    };
  }

  function draw(id, traces, xaxis, yaxis, more = {}) {
    const layout = {
      paper_bgcolor: "rgba(0,0,0,0)",
      plot_bgcolor: "rgba(0,0,0,0)",
      font: { color: colour("--ink"), family: getComputedStyle(document.body).fontFamily, size: 12.5 },
      margin: { l: 62, r: 14, t: 14, b: 46 },
      hoverlabel: { bgcolor: colour("--card"), font: { color: colour("--ink") } },
      modebar: { bgcolor: "rgba(0,0,0,0)", color: colour("--soft"), activecolor: colour("--accent") },
      showlegend: false,
      xaxis,
      yaxis,
      ...more,
    };
    return Plotly.react(byId(id), traces, layout, {
      responsive: true, displaylogo: false,
      modeBarButtonsToRemove: ["select2d", "lasso2d", "autoScale2d"],
    });
  }

  function line(name, x, y, paint, more) {
    return {
      type: "scatter", mode: "lines+markers", name, x, y,
      line: { color: paint, width: 2 }, marker: { size: 6, color: paint }, ...more,
    };
  }

  function fill(select, values, chosen) {
    select.replaceChildren(...values.map(([value, text]) => new Option(text, value)));
    if (chosen !== undefined && values.some(([value]) => String(value) === String(chosen)))
      select.value = chosen;
  }

  // ---- time against size, samples ------------------------------------------------------------

  const chosen = { hidden: new Set() };

  const UNITS = {
    time: { title: "time", of: (p) => p.median_us, band: (p) => [p.low_us, p.high_us], format: time },
    ratio: {
      title: "times as fast as native", of: (p) => p.ratio_to_native, format: precise,
      band: (p) => [p.high_us, p.low_us].map((us) => (p.ratio_to_native * p.median_us) / us),
    },
    floor: {
      title: "time over floor", of: (p) => p.over_floor, format: precise,
      band: (p) => [p.low_us, p.high_us].map((us) => us / p.floor_us),
    },
    rate: {
      title: "bytes a second", of: (p) => (p.bytes / p.median_us) * 1e6, format: rate,
      band: (p) => [p.high_us, p.low_us].map((us) => (p.bytes / us) * 1e6),
    },
  };

  const here = () =>
    data.points.filter((p) => p.place === chosen.place && p.operation === chosen.operation);
  const visible = () => here().filter((p) => !chosen.hidden.has(p.curve));

  function curves(points) {
    const found = new Map();
    for (const p of points) found.set(p.curve, [...(found.get(p.curve) || []), p]);
    return found;
  }

  function curveTraces(points, unit) {
    const traces = [];
    for (const [name, all] of curves(points)) {
      const known = all.filter((p) => unit.of(p) > 0);
      if (!known.length) continue;
      const x = known.map((p) => atZero(p.bytes));
      const { algorithm, binding } = known[0];
      const paint = colour(own(algorithm));
      const bands = known.map(unit.band);
      const edge = { x, mode: "lines", line: { width: 0 }, hoverinfo: "skip", type: "scatter" };
      traces.push(
        { ...edge, y: bands.map((b) => b[0]), meta: "band" },
        { ...edge, y: bands.map((b) => b[1]), fill: "tonexty", fillcolor: faded(paint, 0.16), meta: "band" },
        line(name, x, known.map(unit.of), paint, {
          meta: "curve",
          line: { color: paint, width: 2, dash: name.includes("(") ? DASHES[binding] : "solid" },
          marker: { size: 7, color: paint, symbol: SYMBOLS[index(algorithm) % 8] },
          text: known.map((p) =>
            `<b>${name}</b>, ${size(p.bytes)}<br>median ${time(p.median_us)}, ` +
            `runs ${time(p.low_us)} to ${time(p.high_us)}` +
            (p.ratio_to_native ? `<br>${precise(p.ratio_to_native)} × native` : "") +
            (p.over_floor ? `<br>${precise(p.over_floor)} × floor` : "")),
          hovertemplate: "%{text}<extra></extra>",
        }));
    }
    return traces;
  }

  function floorTrace(points, unit) {
    const bySize = new Map();
    for (const p of points)
      if (p.floor_us) bySize.set(p.bytes, Math.min(p.floor_us, bySize.get(p.bytes) || Infinity));
    const sizes = [...bySize.keys()].sort((a, b) => a - b);
    if (!sizes.length || unit === UNITS.ratio || unit === UNITS.floor) return [];
    const value = (bytes) => {
      const us = bySize.get(bytes);
      return unit === UNITS.time ? us : (bytes / us) * 1e6;
    };
    return [line("floor", sizes.map(atZero), sizes.map(value), colour("--ink"), {
      mode: "lines", meta: "floor", line: { color: colour("--ink"), width: 1.4, dash: "dash" },
      hovertemplate: "floor: %{text}<extra></extra>", text: sizes.map((s) => unit.format(value(s))),
    })];
  }

  function publishedTraces(unit) {
    const picked = data.reference.filter(
      (p) => p.place === chosen.reference && p.collective === chosen.collective);
    const of = {
      time: (p) => p.time_us, ratio: (p) => p.ratio_to_native,
      rate: (p) => (p.bytes / p.time_us) * 1e6, floor: () => null,
    }[chosen.unit];
    return distinct(picked.map((p) => p.algorithm)).map((algorithm) => {
      const known = picked.filter((p) => p.algorithm === algorithm && of(p) > 0);
      const paint = data.algorithms.includes(algorithm) ? colour(own(algorithm)) : colour("--soft");
      return line(`published: ${algorithm}`, known.map((p) => atZero(p.bytes)), known.map(of), paint, {
        meta: "published", line: { color: paint, width: 1.3, dash: "dot" },
        marker: { size: 7, color: paint, symbol: "circle-open" },
        text: known.map((p) => `<b>${algorithm}</b>, ${size(p.bytes)}<br>${unit.format(of(p))}<br>${p.place}`),
        hovertemplate: "%{text}<extra></extra>",
      });
    });
  }

  function drawTimes() {
    const unit = UNITS[chosen.unit];
    const points = visible();
    const traces = [...curveTraces(points, unit), ...floorTrace(points, unit), ...publishedTraces(unit)];
    const seen = traces.flatMap((t) => t.y);
    const one = chosen.unit === "ratio" || chosen.unit === "floor";
    draw("time-chart", traces,
      sizeAxis([...here().map((p) => p.bytes),
        ...traces.filter((t) => t.meta === "published").flatMap((t) => t.x)]),
      axis(unit.title, { type: "log", ...ticks(seen, unit.format) }),
      { shapes: one ? [{ type: "line", xref: "paper", x0: 0, x1: 1, y0: 1, y1: 1,
                         line: { color: colour("--soft"), width: 1 } }] : [] });
  }

  const sampled = (p) => data.samples[[p.place, p.operation, p.curve, p.bytes].join("|")] || {};
  const ascending = (values) => [...values].sort((a, b) => a - b);
  const shares = (values) => values.map((_, i) => (i + 1) / values.length);

  function drawDistribution(points) {
    const traces = [];
    for (const p of points) {
      const paint = colour(own(p.algorithm));
      const runs = Object.values(sampled(p)).map(ascending);
      const all = ascending(runs.flat());
      const step = { shape: "hv", dash: p.curve.includes("(") ? DASHES[p.binding] : "solid" };
      for (const run of runs.length > 1 ? runs : [])
        traces.push(line(p.curve, run, shares(run), paint, {
          mode: "lines", opacity: 0.35, hoverinfo: "skip", meta: "run",
          line: { ...step, color: paint, width: 1 } }));
      traces.push(line(p.curve, all, shares(all), paint, {
        mode: "lines", meta: "all", line: { ...step, color: paint, width: 2.4 },
        text: all.map(time), hovertemplate: `<b>${p.curve}</b><br>%{y:.0%} of samples within %{text}<extra></extra>` }));
    }
    draw("distribution-chart", traces,
      axis("time of a repetition", { type: "log", ...ticks(traces.flatMap((t) => t.x), time) }),
      axis("share of the samples", { tickformat: ".0%", range: [0, 1.03] }));
  }

  function drawOrder(points) {
    const traces = points.map((p) => {
      const paint = colour(own(p.algorithm));
      const runs = Object.entries(sampled(p));
      const y = runs.flatMap(([, times]) => times);
      const run = runs.flatMap(([number, times]) => times.map(() => number));
      return line(p.curve, y.map((_, i) => i + 1), y, paint, {
        mode: "markers", marker: { size: 4.5, color: paint, symbol: SYMBOLS[index(p.algorithm) % 8], opacity: 0.75 },
        text: y.map((us, i) => `${time(us)}, run ${run[i]}`),
        hovertemplate: `<b>${p.curve}</b><br>%{text}<extra></extra>` });
    });
    const bounds = points.length ? Object.values(sampled(points[0])).map((times) => times.length) : [];
    let at = 0.5;
    const shapes = bounds.slice(0, -1).map((length) => ({
      type: "line", yref: "paper", y0: 0, y1: 1, x0: (at += length), x1: at,
      line: { color: colour("--soft"), width: 1, dash: "dot" } }));
    draw("order-chart", traces, axis("sample, run after run"),
      axis("time", { type: "log", ...ticks(traces.flatMap((t) => t.y), time) }), { shapes });
  }

  function tell() {
    const points = visible().filter((p) => p.bytes === chosen.bytes);
    const best = points.reduce((a, b) => (a && a.median_us <= b.median_us ? a : b), undefined);
    byId("status").textContent = best
      ? `${chosen.operation}, ${size(chosen.bytes)}: fastest is ${best.curve} with ${time(best.median_us)}` +
        (best.ratio_to_native && best.algorithm !== "native"
          ? `, ${precise(best.ratio_to_native)} times as fast as native` : "") +
        (best.over_floor ? `, ${precise(best.over_floor)} times the floor.` : ".")
      : "Every algorithm is hidden.";
  }

  function drawCurves() {
    const points = visible().filter((p) => p.bytes === chosen.bytes);
    tell();
    mark();
    return Promise.all([drawTimes(), drawDistribution(points), drawOrder(points)]);
  }

  function legend() {
    const labels = [...curves(here()).entries()].map(([curve, points]) => {
      const label = document.createElement("label");
      const box = Object.assign(document.createElement("input"),
        { type: "checkbox", value: curve, checked: !chosen.hidden.has(curve) });
      const swatch = Object.assign(document.createElement("span"), { className: "swatch" });
      swatch.style.setProperty("--own", `var(${own(points[0].algorithm)})`);
      box.addEventListener("change", () => {
        chosen.hidden[box.checked ? "delete" : "add"](curve);
        drawCurves();
      });
      label.append(box, swatch, curve);
      return label;
    });
    byId("legend").replaceChildren(byId("legend").firstElementChild, ...labels);
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
    if (!sizes.includes(chosen.bytes)) chosen.bytes = sizes[sizes.length - 1];
    fill(byId("size"), sizes.map((s) => [s, size(s)]), chosen.bytes);
    chosen.unit = byId("unit").value;
    if (byId("reference")) offerPublished();
    legend();
    return drawCurves();
  }

  function offerPublished() {
    const places = distinct(
      data.reference.filter((p) => p.collective === chosen.collective).map((p) => p.place));
    fill(byId("reference"), [["", "nothing published"], ...places.map((p) => [p, p])], chosen.reference);
    chosen.reference = byId("reference").value;
  }

  // ---- the map of ratios -----------------------------------------------------------------------

  const cells = [...document.querySelectorAll(".heat button")];

  function mark() {
    for (const cell of cells) {
      const place = cell.closest("table").dataset.place;
      cell.setAttribute("aria-pressed", String(place === chosen.place &&
        cell.dataset.operation === chosen.operation && Number(cell.dataset.bytes) === chosen.bytes));
    }
  }

  function arrows(table) {
    const grid = [...table.querySelectorAll("tbody tr")].map((row) =>
      [...row.querySelectorAll("td")].map((cell) => cell.querySelector("button")));
    const first = grid.flat().find(Boolean);
    if (first) first.tabIndex = 0;
    const STEPS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
    table.addEventListener("keydown", (event) => {
      const step = STEPS[event.key];
      if (!step) return;
      event.preventDefault();
      let y = grid.findIndex((row) => row.includes(event.target));
      let x = grid[y].indexOf(event.target);
      do {
        y += step[0];
        x += step[1];
      } while (grid[y] && x >= 0 && x < grid[y].length && !grid[y][x]);
      const next = grid[y] && grid[y][x];
      if (!next) return;
      event.target.tabIndex = -1;
      next.tabIndex = 0;
      next.focus();
    });
  }

  for (const cell of cells)
    cell.addEventListener("click", () => {
      chosen.hidden.delete(cell.dataset.curve);
      choose({ place: cell.closest("table").dataset.place, operation: cell.dataset.operation,
        bytes: Number(cell.dataset.bytes) });
      byId("curves").scrollIntoView();
    });
  document.querySelectorAll(".heat").forEach(arrows);
  for (const cell of document.querySelectorAll("[data-winner]"))
    cell.style.setProperty("--own", `var(${own(cell.dataset.winner)})`);

  // ---- lanes and counters ----------------------------------------------------------------------

  const laneGroup = (l) => `${l.operation}: ${l.place}`;
  const jobs = (c) => `${c.library}, ${c.lanes} lanes, binding ${c.binding}`;

  function drawLanes() {
    const what = data.lanes.filter((l) => laneGroup(l) === byId("lanes-what").value);
    const sizes = ascending(distinct(what.map((l) => l.bytes)));
    fill(byId("lanes-size"), sizes.map((s) => [s, size(s)]), byId("lanes-size").value || sizes.at(-1));
    const lines = what.filter((l) => l.bytes === Number(byId("lanes-size").value));
    const probe = !lines.some((l) => data.algorithms.includes(l.curve));
    const traces = [];
    distinct(lines.map((l) => l.curve)).forEach((curve, i) => {
      const known = lines.filter((l) => l.curve === curve);
      const name = probe ? `--c${(i + 1) % 8}` : own(curve);
      const x = known.map((l) => l.lanes);
      if (probe || i === 0)
        traces.push(line(probe ? `ideal, ${curve}` : "ideal", x, known.map((l) => l.ideal), colour("--soft"),
          { mode: "lines", meta: "ideal", line: { color: colour("--soft"), width: 1.4, dash: "dash" } }));
      traces.push(line(curve, x, known.map((l) => l.speedup), colour(name), {
        meta: "curve", marker: { size: 8, color: colour(name), symbol: SYMBOLS[(probe ? i : index(curve)) % 8] },
        text: known.map((l) => `${precise(l.speedup)} times as fast, ${time(l.median_us)}`),
        hovertemplate: `<b>${curve}</b>, %{x}<br>%{text}<extra></extra>` }));
    });
    return draw("lanes-chart", traces,
      axis(probe ? "virtual lanes k" : "lanes", { tickvals: distinct(lines.map((l) => l.lanes)) }),
      axis("speed-up", { rangemode: "tozero" }), { showlegend: true, legend: { orientation: "h", y: 1.12 } });
  }

  function drawCounters() {
    const lines = data.counters.filter((c) => jobs(c) === byId("counters-what").value);
    const traces = distinct(lines.map((c) => c.lane)).map((lane, i) => {
      const known = lines.filter((c) => c.lane === lane);
      return {
        type: "bar", name: `lane ${lane}`, x: known.map((c) => `node ${c.node}`),
        y: known.map((c) => c.sent_bytes / 1e6), marker: { color: colour(`--c${(i + 1) % 8}`) },
        text: known.map((c) => `sent ${scaled(c.sent_bytes, ["B", "kB", "MB", "GB"], 1000)}<br>received ` +
          `${scaled(c.received_bytes, ["B", "kB", "MB", "GB"], 1000)}<br>${c.dropped_packets} packets dropped`),
        textposition: "none", hovertemplate: `<b>%{x}, lane ${lane}</b><br>%{text}<extra></extra>`,
      };
    });
    return draw("counters-chart", traces, axis(""), axis("sent, MB", { rangemode: "tozero" }),
      { barmode: "group", showlegend: true, legend: { orientation: "h", y: 1.12 } });
  }

  // ---- the page --------------------------------------------------------------------------------

  function redraw() {
    return Promise.all([
      data.points.length && drawCurves(), data.lanes.length && drawLanes(),
      data.counters.length && drawCounters()]);
  }

  function setTheme(theme) {
    root.dataset.theme = theme;
    byId("theme").textContent = theme === "dark" ? "Light" : "Dark";
    return redraw();
  }

  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  dark.addEventListener("change", () => setTheme(dark.matches ? "dark" : "light"));
  byId("theme").addEventListener("click", () => setTheme(root.dataset.theme === "dark" ? "light" : "dark"));
  byId("print").addEventListener("click", () => window.print());
  let before = "light";
  window.addEventListener("beforeprint", () => {
    before = root.dataset.theme;
    setTheme("light");
  });
  window.addEventListener("afterprint", () => setTheme(before));

  const links = [...document.querySelectorAll("nav a")];
  const sections = [...document.querySelectorAll("section")];
  const inView = new Set();
  const watch = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) inView[isIntersecting ? "add" : "delete"](target);
    const first = sections.find((section) => inView.has(section));
    for (const link of links) link.ariaCurrent = first && link.hash === `#${first.id}` ? "location" : null;
  }, { rootMargin: "-20% 0px -70%" });
  sections.forEach((section) => watch.observe(section));

  root.dataset.theme = dark.matches ? "dark" : "light";
  if (data.points.length) {
    byId("place").addEventListener("change", () => choose({ place: byId("place").value }));
    byId("operation").addEventListener("change", () => choose({ operation: byId("operation").value }));
    byId("size").addEventListener("change", () => choose({ bytes: Number(byId("size").value) }));
    byId("unit").addEventListener("change", () => choose({}));
    if (byId("reference"))
      byId("reference").addEventListener("change", () => choose({ reference: byId("reference").value }));
    choose({});
  }
  if (data.lanes.length) {
    fill(byId("lanes-what"), distinct(data.lanes.map(laneGroup)).map((g) => [g, g]));
    byId("lanes-what").addEventListener("change", drawLanes);
    byId("lanes-size").addEventListener("change", drawLanes);
  }
  if (data.counters.length) {
    fill(byId("counters-what"), distinct(data.counters.map(jobs)).map((g) => [g, g]));
    byId("counters-what").addEventListener("change", drawCounters);
  }
  await setTheme(root.dataset.theme);
  root.dataset.ready = "yes";
})();
