// SPDX-License-Identifier: BSD-3-Clause
// The maps: cells that choose, arrow keys, and what tells of columns out of sight.

const cells = [...document.querySelectorAll(".heat button")];

/** Marks the column of the chosen case, and brings it into sight. */
function markCells({ place, operation, bytes }) {
  for (const cell of cells) {
    const pressed = cell.closest("table").dataset.place === place &&
      cell.dataset.operation === operation && Number(cell.dataset.bytes) === bytes;
    cell.setAttribute("aria-pressed", String(pressed));
  }
  const first = cells.find((cell) => cell.getAttribute("aria-pressed") === "true");
  const box = first?.closest(".scroll");
  if (!box) return;
  const { left, right } = first.getBoundingClientRect();
  const inside = box.getBoundingClientRect();
  if (right > inside.right || left < inside.left + headWidth(box))
    box.scrollLeft += left - (inside.left + inside.right) / 2;
}

/** The width of the column that stays in sight. */
const headWidth = (box) => box.querySelector("tbody th[scope=row]")?.offsetWidth || 0;

function arrows(table) {
  const grid = [...table.querySelectorAll("tbody tr")].map((row) =>
    [...row.querySelectorAll("td")].map((cell) => cell.querySelector("button")))
    .filter((row) => row.length);
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

/** Says how many columns of a wide table are out of sight; a click goes there. */
function hint(wide) {
  const box = wide.querySelector(".scroll");
  const button = wide.querySelector(".hint");
  const heads = [...box.querySelectorAll("thead th")];
  const update = () => {
    const hidden = box.scrollWidth - box.clientWidth;
    const right = box.getBoundingClientRect().right;
    const beyond = heads.filter((head) => head.getBoundingClientRect().right > right + 4).length;
    wide.classList.toggle("more", beyond > 0);
    button.hidden = hidden < 5;
    button.textContent = beyond
      ? `Scroll sideways: ${beyond} more column${beyond > 1 ? "s" : ""} →` : "← Back to the first column";
  };
  button.addEventListener("click", () => {
    const end = box.scrollLeft + box.clientWidth > box.scrollWidth - 5;
    const page = box.clientWidth - headWidth(box);
    box.scrollTo({ left: end ? 0 : box.scrollLeft + 0.8 * page, behavior: calm() ? "auto" : "smooth" });
  });
  box.addEventListener("scroll", update, { passive: true });
  new ResizeObserver(update).observe(box);
}

const calm = () => window.matchMedia("(prefers-reduced-motion: reduce)").matches;

function listenToMaps() {
  for (const cell of cells)
    cell.addEventListener("click", () => {
      chosen.hidden.delete(cell.dataset.curve);
      choose({ place: cell.closest("table").dataset.place, operation: cell.dataset.operation,
        bytes: Number(cell.dataset.bytes) });
      byId("faster").scrollIntoView();
    });
  document.querySelectorAll(".heat").forEach(arrows);
  for (const cell of document.querySelectorAll("[data-winner]"))
    cell.style.setProperty("--own", `var(${colourName(index(data, cell.dataset.winner))})`);
  document.querySelectorAll(".wide").forEach(hint);
}
