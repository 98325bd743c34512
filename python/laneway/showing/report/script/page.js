// SPDX-License-Identifier: BSD-3-Clause
// The page: its numbers, its theme, its navigation.

async function unpack(id) {
  const bytes = Uint8Array.from(atob(byId(id).textContent), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).text();
}

const data = JSON.parse(await unpack("packed-data"));
const library = document.createElement("script");
library.textContent = await unpack("packed-library");
document.head.append(library);

function setTheme(theme) {
  root.dataset.theme = theme;
  byId("theme").textContent = theme === "dark" ? "Light" : "Dark";
  return redraw();
}

function listenToTheme() {
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  root.dataset.theme = dark.matches ? "dark" : "light";
  dark.addEventListener("change", () => setTheme(dark.matches ? "dark" : "light"));
  byId("theme").addEventListener("click", () => setTheme(root.dataset.theme === "dark" ? "light" : "dark"));
  byId("print").addEventListener("click", () => window.print());
  let before = "light";
  window.addEventListener("beforeprint", () => {
    before = root.dataset.theme;
    setTheme("light");
  });
  window.addEventListener("afterprint", () => setTheme(before));
}

/** What is drawn for a narrow window is drawn anew for a wide one. */
function listenToWidth() {
  let before = narrow();
  window.addEventListener("resize", () => {
    if (narrow() === before) return;
    before = narrow();
    redraw();
  });
}

function markNavigation() {
  const links = [...document.querySelectorAll("nav a")];
  const sections = [...document.querySelectorAll("section")];
  const inView = new Set();
  const watch = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) inView[isIntersecting ? "add" : "delete"](target);
    const first = sections.find((section) => inView.has(section));
    for (const link of links) link.ariaCurrent = first && link.hash === `#${first.id}` ? "location" : null;
  }, { rootMargin: "-20% 0px -70%" });
  sections.forEach((section) => watch.observe(section));
}

/** Copies what stands beside the button; where the browser forbids that, it is selected at least. */
function listenToCopies() {
  for (const button of document.querySelectorAll("button.copy")) {
    const text = byId(button.dataset.of);
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(text.textContent);
        button.textContent = "Copied";
      } catch {
        getSelection().selectAllChildren(text);
        button.textContent = "Selected";
      }
      setTimeout(() => (button.textContent = "Copy"), 2000);
    });
  }
}

listenToTheme();
listenToWidth();
listenToCopies();
listenToMaps();
if (data.points.length) {
  Object.assign(chosen, data.focus, { unit: "ratio" });
  listenToChoices();
}
if (data.lanes.length) offerLanes();
if (data.counters.length) offerCounters();
await setTheme(root.dataset.theme);
markNavigation();
root.dataset.ready = "yes";
