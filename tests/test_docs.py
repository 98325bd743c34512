# SPDX-License-Identifier: BSD-3-Clause
"""The documentation's words: links lead somewhere, commands can be typed as they stand."""

import functools
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest

from jobs import BUILDS, LIMIT, ROOT, run
from laneway import decisions
from laneway.cli import cli
from laneway.collectives import WITH_VECTORS, blocking, collective
from laneway.commands import Deferred
from laneway.commands.changed import changed_command
from laneway.libraries import native

ROOMS = sorted(
    page for folder in ("src", "python/laneway", "packages")
    for page in ROOT.glob(f"{folder}/**/README.md")
)  # fmt: skip
"""Pages in which the rooms of the sources describe themselves."""
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOMS])
NAMES = [str(page.relative_to(ROOT)) for page in PAGES]
FENCE = re.compile(r"^ *(```|~~~)")
PLACEHOLDER = re.compile(r"[A-Z]+|.*\.\.\..*")
"""A stand-in for a word of the reader's own: FOLDER, results/compare-..."""

NO_COMMAND = ["laneway", "profile", "1"]
"""The first line of a profile."""


def blocks(text):
    """The lines of a page, each with whether it is in a block of code."""
    fenced = indented = False
    before = ""
    for line in text.splitlines():
        if FENCE.match(line):
            fenced, before = not fenced, line
            continue
        if line.strip():
            starts = not before.strip() or indented
            indented = line.startswith("    ") and starts and not fenced
        yield line, fenced or indented
        before = line


def prose(text):
    return "\n".join(line for line, is_code in blocks(text) if not is_code)


def anchors(page):
    """The names of a page's headings, as GitHub and the site make them."""
    headings = re.findall(r"^#+ +(.*?)\s*$", prose(page.read_text()), re.MULTILINE)
    plain = [re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading) for heading in headings]
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in plain}


def links(page):
    text = re.sub(r"`[^`]*`", "", prose(page.read_text()))
    found = re.findall(r"\]\(([^)\s]+)\)", text)
    return [link for link in found if not re.match(r"[a-z]+:", link)]


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_links_lead_to_files_and_headings(page):
    for link in links(page):
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.is_file(), f"{link}: no such file"
        assert target.is_relative_to(ROOT), link
        if anchor:
            assert anchor in anchors(target), f"{link}: no such heading"


def test_every_page_is_reached_from_the_readme():
    reached, new = set(), [ROOT / "README.md"]
    while new:
        page = new.pop()
        if page in reached or page.suffix != ".md":
            continue
        reached.add(page)
        new += [(page.parent / link.partition("#")[0]).resolve() for link in links(page)]
    assert set(PAGES) <= reached


PRINTED = re.compile(r"^[\w ]+: (laneway .*)$")
"""The last line that a command prints, such as to use it: laneway exec ..."""


def commands(text):
    """The lines `laneway ...` of a page: their words, and whether they are in a block of code."""
    joined = re.sub(r"\\\n\s*", "", text)
    for line, is_code in blocks(joined):
        if is_code:
            typed = line.strip().removeprefix("$ ")
            printed = PRINTED.match(typed)
            texts = [printed[1] if printed else typed, *re.findall(r"\$\(([^()]*)\)", typed)]
        else:
            texts = re.findall(r"`([^`]+)`", line)
        for words in (each for text in texts for each in nested(split(text))):
            if words and Path(words[0]).name == "laneway" and words[1:] and words != NO_COMMAND:
                yield words[1:], is_code


def nested(several):
    """Commands, and those that they start: laneway exec -- laneway cluster run -- ./app."""
    for words in several:
        yield words
        if "--" in words:
            yield from nested([words[words.index("--") + 1 :]])


def split(text):
    """The words of each command of a line."""
    lexer = shlex.shlex(text, posix=True, punctuation_chars=";&|<>")
    lexer.whitespace_split, lexer.commenters = True, ""
    several, is_file = [[]], False
    try:
        for word in lexer:
            if word.startswith("#"):
                break
            if set(word) <= set("<>"):  # to or from a file
                is_file = True
            elif set(word) <= set(";&|<>"):
                several.append([])
            elif not is_file:
                several[-1].append(word)
            else:
                is_file = False
    except ValueError:  # an apostrophe in prose, or in a program's output
        return []
    for words in several:
        while words and re.fullmatch(r"\w+=.*", words[0]):  # LANEWAY_CLUSTER=none laneway ...
            del words[0]
    return several


def check(words, *, complete):
    """Raises what the command line would say; `complete`: nothing that it needs is left out."""
    command, context = cli, click.Context(cli, info_name="laneway")
    rest = [word for word in words if word not in ("...", "[...]")]
    while isinstance(command, click.Group):
        _, rest, _ = command.make_parser(context).parse_args(rest)
        if not rest or PLACEHOLDER.fullmatch(rest[0]):
            return
        name, *rest = rest
        found = command.get_command(context, name)
        assert found is not None, f"there is no command {name}"
        found = found.loaded() if isinstance(found, Deferred) else found
        command = found
        context = click.Context(found, context, name, **found.context_settings)
    if name == "compare" and of_sources(command, rest):
        command = changed_command
    if complete:
        rest = [word for word in rest if word != "[--json]"]
    if {"--help", "-h"} & set(rest[:1]):
        return
    try:
        given, others, _ = command.make_parser(context).parse_args(rest)
    except click.BadOptionUsage:  # prose speaks of `laneway exec --profile`
        if complete:
            raise
        given, others, _ = command.make_parser(context).parse_args([*rest, "WORD"])
    for parameter in command.params:
        check_value(context, parameter, given.get(parameter.name), complete=complete)
    assert not others, f"{' '.join(others)}: one word too many"
    if command.name == "bench" and isinstance(given["words"], tuple):
        check_bench(given["words"])


def of_sources(command, words):
    """Whether `laneway compare` is told two measurements, which need not be there."""
    named = [each for word in command.named(words) for each in word.split(",")]
    known = (*WITH_VECTORS, "all")
    return bool(named) and not any(blocking(collective(word)) in known for word in named)


def check_value(context, parameter, value, *, complete):
    values = value if isinstance(value, (list, tuple)) else [value]
    empty = not values or any(type(one).__name__ == "Sentinel" or one is None for one in values)
    if empty:
        missing = complete and parameter.required
        assert not missing, f"{parameter.name} is missing"
    elif not isinstance(parameter.type, click.Path) and not any(
        isinstance(one, str) and PLACEHOLDER.fullmatch(one) for one in values
    ):
        parameter.type_cast_value(context, value)


@functools.cache
def options_of_the_benchmark():
    said = subprocess.run(
        [native.find().bench, "--help"], capture_output=True, text=True, check=True
    ).stdout
    return set(re.findall(r"(?<![\w-])--?[\w-]+", said))


def check_bench(words):
    for word in words:
        if re.match(r"-[a-zA-Z-]", word):
            option = word.partition("=")[0]
            assert option in options_of_the_benchmark(), f"laneway-bench has no option {option}"


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_command_lines_can_be_typed_as_they_stand(page):
    if page.name in ("CHANGELOG.md", "HISTORY.md"):
        pytest.skip("they speak of what was, too")
    for words, is_code in commands(page.read_text()):
        try:
            check(words, complete=is_code)
        except (click.ClickException, AssertionError) as error:
            said = error.format_message() if isinstance(error, click.ClickException) else error
            pytest.fail(f"laneway {shlex.join(words)}: {said}")


@pytest.mark.parametrize("line", [
    "laneway compar --count 3", "laneway compare --counts 3", "laneway compare --runs many",
    "laneway profile chck x", "laneway report", "laneway cluster up now", "laneway bench --sink 3",
    "laneway compare OLD NEW --count 3", "laneway compare bcast --margin 3",
    "to use it: laneway exec --profil x -- ./app", "make x; laneway compar bcast",
    "laneway compare OLD",
])  # fmt: skip
def test_a_wrong_command_line_is_found(line):
    ((words, is_code), *_) = commands(f"Type:\n\n    {line}\n")
    with pytest.raises((click.ClickException, AssertionError)):
        check(words, complete=is_code)


@pytest.mark.parametrize("build", BUILDS)
def test_the_program_of_the_tutorial_answers_the_same_with_a_profile(compiled, tmp_path, build):
    program = compiled(build, ROOT / "examples" / "steps.c", "-std=c11", with_laneway=False)
    profile = tmp_path / "profile.conf"
    profile.write_text("laneway profile 1\nbcast nodes=2 ppn=2 bytes=1K..64K use lane_pipeline\n")
    words = [program, 10_000, 3]
    settings = {
        "LANEWAY_NODE_SIZE": 2, "LANEWAY_PROFILE": profile, "LANEWAY_REPORT": tmp_path
    }  # fmt: skip
    outcomes = run(build, 4, words), run(build, 4, words, preload=[build.preload], **settings)
    assert len({re.search("result .*", outcome.output)[0] for outcome in outcomes}) == 1
    report = decisions.load(tmp_path)
    assert (report.calls, report.native) == (4 * 3 * 2, 4 * 3)


# ---- what pages say of the code, held against it -------------------------------------------------

OF_DEVELOPERS = [ROOT / "DESIGN.md", ROOT / "CONTRIBUTING.md", *ROOMS]
FILE = re.compile(r"[\w.-]+\.(?:[ch](?:pp)?|py|sh|js|toml|md|conf|csv|yaml|txt)")
IN_FOLDER = re.compile(r"(?:[\w.*<>-]+/)+(?:[\w.*<>-]+)?")
"""Names of files and paths, `<collective>` and `*` for any word in them."""
SOURCES = (
    "src", "python", "packages", "scripts", "tests", "examples", "docs", "packaging", "cmake",
    "include",
)  # fmt: skip


@functools.cache
def names_of_files():
    listed = (path for folder in SOURCES for path in (ROOT / folder).rglob("*"))
    return {path.name for path in (*listed, *ROOT.iterdir())}


def paths(page):
    """The paths in backticks of a page, in its prose and tables."""
    words = (word for text in re.findall(r"`([^`\n]+)`", prose(page)) for word in text.split())
    for word in words:
        if FILE.fullmatch(word) or (IN_FOLDER.fullmatch(word) and not word.startswith("build/")):
            yield word


def is_there(word, folder):
    """Whether a path leads somewhere: from the root, the folders of sources, or beside the page."""
    pattern = re.sub(r"<[\w-]+>", "*", word).rstrip("/")
    if "/" not in word:
        return pattern in names_of_files()
    starts = (ROOT, ROOT / "src", ROOT / "python" / "laneway", folder)
    return any(next(start.glob(f"{pattern}{end}"), None) for start in starts for end in ("", ".*"))


@pytest.mark.parametrize(
    "page", OF_DEVELOPERS, ids=[str(page.relative_to(ROOT)) for page in OF_DEVELOPERS]
)
def test_paths_of_the_code_exist(page):
    missing = [word for word in paths(page.read_text()) if not is_there(word, page.parent)]
    assert not missing


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("`src/messages/comm.*` and `src/bench/probes/<name>.cpp`", True),
        ("`tests/property` in `tuner.py`, `build/<library>/bin/none`, `log n / 2`", True),
        ("`src/mpi/comm.hpp`", False),
        ("`src/own/`", False),
        ("`library_of_mpi.hpp`", False),
    ],
)
def test_a_path_that_leads_nowhere_is_found(text, found):
    assert all(is_there(word, ROOT) for word in paths(text)) is found


ROOMS_OF_MODULES = [page for page in ROOMS if page.is_relative_to(ROOT / "src")]


@pytest.mark.parametrize(
    "page", ROOMS_OF_MODULES, ids=[str(page.parent.relative_to(ROOT)) for page in ROOMS_OF_MODULES]
)
def test_a_room_names_its_modules(page):
    suffixes = (".c", ".cpp", ".h", ".hpp")
    modules = {path.stem for path in page.parent.iterdir() if path.suffix in suffixes}
    assert modules <= set(re.findall(r"`([\w.]+)`", page.read_text()))


def test_every_room_of_the_sources_has_a_short_page():
    rooms = {path for path in (ROOT / "src").iterdir() if path.is_dir()}
    assert rooms <= {page.parent for page in ROOMS}
    assert [page for page in ROOMS if page.read_text().count("\n") > 80] == []


def listing(language):
    """The one block of CONTRIBUTING.md in that language."""
    text = (ROOT / "CONTRIBUTING.md").read_text()
    (shown,) = re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)
    return shown


def test_the_example_of_an_algorithm_is_the_one_that_is_compiled():
    example = (ROOT / "examples" / "algorithm" / "bcast" / "node_first.cpp").read_text()
    assert f"\n\n{listing('cpp')}\n" in example


def test_the_patch_that_adds_a_collective_compiles(tmp_path):
    """But for the MPI function, which no library has."""
    for folder in ("src", "include"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    applied = subprocess.run(
        ["git", "apply", "-"],
        input=listing("diff"),
        cwd=tmp_path,
        env={**os.environ, "GIT_CEILING_DIRECTORIES": str(tmp_path.parent)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert applied.returncode == 0, applied.stderr
    shutil.copy(ROOT / "src/library/interposed.h", tmp_path / "src/library")
    for source in ("call/front/bcast.hpp", "providers/native.cpp"):
        path = tmp_path / "src" / source
        path.write_text(path.read_text().replace("real::Dummy", "real::Bcast"))
    command = [native.installed()[0].mpicc, "-xc++", "-std=c++20", "-fsyntax-only",
               "-DOMPI_SKIP_MPICXX", "-DMPICH_SKIP_MPICXX", "-Iinclude", "-Isrc"]  # fmt: skip
    sources = ["api/collectives.cpp", "providers/native.cpp", "providers/ours_rooted.cpp"]
    compiled = subprocess.run(
        [*command, *(f"src/{source}" for source in sources)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=LIMIT,
    )
    assert compiled.returncode == 0, compiled.stderr


def test_printed_answers_are_those_that_the_commands_give():
    marked = [page for page in PAGES if "<!-- printed by: " in page.read_text()]
    assert marked
    words = [sys.executable, ROOT / "scripts" / "printed.py", "--check", *marked]
    said = subprocess.run(words, capture_output=True, text=True, check=False, timeout=LIMIT)
    assert said.returncode == 0, said.stderr


def test_the_schema_of_rows_is_that_of_their_types():
    words = [
        sys.executable,
        ROOT / "scripts/rows_schema.py",
        "--check",
        ROOT / "docs/rows.schema.json",
    ]
    said = subprocess.run(words, capture_output=True, text=True, check=False, timeout=LIMIT)
    assert said.returncode == 0, said.stderr


def test_settings_are_listed_as_the_library_reads_them():
    words = [sys.executable, ROOT / "scripts/settings.py", "--check"]
    said = subprocess.run(words, capture_output=True, text=True, check=False, timeout=LIMIT)
    assert said.returncode == 0, said.stderr


def taking_a_launcher(command, words=()):
    """The names of commands that have the option, a study's by that of all."""
    command = command.loaded() if isinstance(command, Deferred) else command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            yield from taking_a_launcher(command.get_command(context, name), (*words, name))
    elif any("--launcher" in option.opts for option in command.params):
        yield words[0] if words[0] == "study" else " ".join(words)


def test_the_page_of_launchers_names_the_commands_that_take_one():
    page = (ROOT / "docs" / "launchers.md").read_text()
    named = re.findall(
        r"`(?:laneway )?([a-z ]+)`", page[: page.index("start the benchmark with a")]
    )
    assert sorted(named) == sorted({*taking_a_launcher(cli)})


@pytest.mark.parametrize(
    ("file", "told"),
    [
        ("README.md", "Python {} or newer"),
        ("docs/install.md", "Python {} or newer"),
        ("pyproject.toml", 'python_version = "{}"'),
        ("packaging/spack/laneway/package.py", '"python@{}:"'),
    ],
)
def test_the_oldest_python_is_the_declared_one(file, told):
    declared = re.search(r'requires-python = ">=(.+)"', (ROOT / "pyproject.toml").read_text())[1]
    text = (ROOT / file).read_text()
    assert told.format(declared) in text
    spelled = re.findall(told.format(r"([\d.]+\d)"), text)
    assert {*spelled} == {declared}


def test_the_setup_asks_the_declaration_for_versions():
    text = (ROOT / "scripts" / "setup.sh").read_text()
    assert not re.search(r"^(readonly )?oldest_\w+=[\d.]", text, re.MULTILINE)


def test_pages_tell_how_many_built_in_choices_there_are():
    """As `laneway exec` announces them, with Open MPI."""
    rules = (ROOT / "packaging" / "profiles" / "open-mpi-4.conf").read_text().count("  use ")
    told = {
        int(number)
        for page in PAGES
        for number in re.findall(r"built-in choices, (\d+) rules", page.read_text())
    }
    assert told == {rules}
