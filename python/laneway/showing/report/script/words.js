// SPDX-License-Identifier: BSD-3-Clause
// Numbers in words.

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
const time = (us) =>
  us < 1 ? `${+(us * 1000).toPrecision(3)} ns` : scaled(us, ["µs", "ms", "s"], 1000);
/** A time of a machine that is so many times slower than the one meant, and what it is on that. */
const both = (us, slower) =>
  time(us) + (slower > 1 ? ` = ${time(us / slower)} at full speed` : "");
const amount = (bytes) => scaled(bytes, ["B", "kB", "MB", "GB"], 1000);
const rate = (perSecond) => `${amount(perSecond)}/s`;
const times = (ratio) => `${+precise(ratio)} ×`;

function percent(share) {
  const value = 100 * share;
  return `${value >= 9.5 ? value.toFixed(0) : +value.toPrecision(2)}%`;
}

const distinct = (values) => [...new Set(values)];
const ascending = (values) => [...values].sort((a, b) => a - b);

/**
 * Which algorithm is the fastest of a case, in a sentence: `winner` names it, as everywhere in the
 * page. `points` are all of the case, `hidden` the curves that are not shown.
 */
function fastest(points, winner, hidden) {
  const [{ operation, bytes }] = points;
  const best = points.find((p) => winner === undefined || p.curve === winner.curve);
  const told = winner === undefined ? `${best.curve} alone was measured` : winner.told;
  const where = hidden.has(best.curve) ? "; it is not among the lines that are shown" : "";
  return `${operation}, ${size(bytes)}: ${told}. ` +
    `Its median is ${both(best.median_us, best.slower)}${where}.`;
}

/** Why an algorithm is as far from what the wires allow as it is, in a sentence for each. */
function explained(points, carried) {
  return points.map((point) => {
    const lanes = carried.filter((lane) => lane.curve === point.curve);
    const reached = point.over_floor
      ? `reaches ${percent(1 / point.over_floor)} of what the wires allow` : "";
    const told = [];
    if (lanes.length) {
      const busiest = lanes.reduce((a, b) => (a.busiest_bytes >= b.busiest_bytes ? a : b));
      if (busiest.least_bytes)
        told.push(`its busiest lane carries ${precise(busiest.busiest_bytes / busiest.least_bytes)} ` +
          "times the bytes that it must");
      if (busiest.busy !== null) told.push(`that lane is busy ${percent(busiest.busy)} of the time`);
      const idle = lanes.filter((lane) => lane.share < 0.01).map((lane) => lane.lane);
      if (idle.length) told.push(`${idle.join(", ")} ${idle.length > 1 ? "are" : "is"} not used`);
    }
    return { curve: point.curve, told: [reached, told.join("; ")].filter(Boolean).join(": ") };
  }).filter((each) => each.told);
}
