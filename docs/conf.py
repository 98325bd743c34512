# SPDX-License-Identifier: BSD-3-Clause
"""What Sphinx asks: `make docs` writes the site to build/site.

The site has the shape of the repository, so that links mean the same in both.
"""

import re
import shutil
from pathlib import Path

from sphinx.application import Sphinx

ROOT = Path(__file__).resolve().parent.parent

project = "Laneway"
author = project_copyright = "The Laneway authors"
release = re.search(r"project\(laneway VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text())[1]

root_doc = "README"
ROOMS = ("src/**/README.md", "python/laneway/**/README.md", "packages/**/README.md")
include_patterns = ["*.md", "docs/*.md", *ROOMS]
exclude_patterns = [".*", "build", "dist", "laneway-*", "tests"]  # not looked into

extensions = ["myst_parser"]
myst_heading_anchors = 4
suppress_warnings = ["myst.header"]  # the changelog repeats headings, as its format says

html_theme = "furo"
html_title = f"Laneway {release}"
html_copy_source = False

CHAPTERS = {
    "First steps": (
        "install questions tutorial-application tutorial-site tutorial-researcher glossary"
    ),
    "Under a program": (
        "interposition hang tuning learning profiles settings reproducible decisions algorithms "
        "vector-collectives node-messages unequal-lanes programs"
    ),
    "Measuring": (
        "cluster small-messages measurement benchmark probes campaigns guidelines report export "
        "launchers simulation scale calibration studies papers"
    ),
}


def _contents() -> str:
    chapters = {
        name: [f"docs/{page}" for page in pages.split()] for name, pages in CHAPTERS.items()
    }
    rooms = sorted(room.relative_to(ROOT) for glob in ROOMS for room in ROOT.glob(glob))
    chapters["The project"] = ["DESIGN", "CONTRIBUTING", "REFERENCES", "CHANGELOG", "HISTORY"]
    chapters["Its rooms"] = [str(room.with_suffix("")) for room in rooms]
    return "".join(
        "\n".join(["", "```{toctree}", ":hidden:", f":caption: {name}", *pages, "```", ""])
        for name, pages in chapters.items()
    )


def _add_contents(_app: Sphinx, page: str, source: list[str]) -> None:
    """The table of contents, which README.md alone has in words of its own."""
    if page == root_doc:
        source[0] += _contents()


def _name_the_first_page(app: Sphinx, error: Exception | None) -> None:
    """Web servers look for index.html."""
    if error is None:
        shutil.copyfile(Path(app.outdir) / f"{root_doc}.html", Path(app.outdir) / "index.html")


def setup(app: Sphinx) -> None:
    """Sphinx calls it."""
    app.connect("source-read", _add_contents)
    app.connect("build-finished", _name_the_first_page)
