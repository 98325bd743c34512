# SPDX-License-Identifier: BSD-3-Clause
"""Conventions of all commands: help, spellings of options, exit codes, width in a pipe."""

import re
import shlex

import click
import pytest

import campaigns
from commands import laneway
from jobs import ROOT
from laneway.cli import cli
from laneway.commands import COMMANDS, GROUPS, Deferred
from laneway.commands.shared.helping import HEADINGS
from laneway.libraries import native
from laneway.showing.table import KEY

QUESTIONS = (ROOT / "docs" / "questions.md").read_text()


def every(command=cli, name=""):
    """All commands with their names, those of groups included."""
    if isinstance(command, click.Group):
        context = click.Context(command)
        for own in command.list_commands(context):
            found = command.get_command(context, own)
            found = found.loaded() if isinstance(found, Deferred) else found
            yield from every(found, f"{name} {own}".strip())
    else:
        yield name, command


EVERY = dict(every())


# ---- help ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("heading", GROUPS)
def test_the_groups_of_help_are_those_of_the_page_of_questions(heading):
    assert f"\n{heading}:\n" in laneway("--help").stdout
    title = heading.replace("To ", "## I ", 1)
    section = QUESTIONS.partition(f"{title}\n")[2].partition("\n#")[0]
    assert section, title
    for name in GROUPS[heading]:
        assert f"laneway {name}" in section, name


@pytest.mark.parametrize("words", [(), ("campaign",), ("machine",), ("cluster",), ("study",)])
def test_no_description_is_cut(words):
    said = laneway(*words, "--help").stdout
    told = " ".join(said.split())
    group = cli
    for word in words:
        group = group.get_command(click.Context(group), word).loaded()
    context = click.Context(group)
    for name in group.list_commands(context):
        assert group.get_command(context, name).get_short_help_str(10_000) in told


def test_where_and_how_a_job_runs_stands_under_headings_of_its_own():
    for name in ("compare", "tune", "calibrate", "probe lane-pattern"):
        said = laneway(*name.split()[:1], "--help").stdout
        own, *headed = re.split(rf"^(?:{'|'.join(HEADINGS)}):$", said, flags=re.MULTILINE)
        assert len(headed) == len(HEADINGS), name
        assert not re.search(r"--(cluster|launcher|rate|json) ", own.partition("Options:")[2])
        for text, options in zip(headed, HEADINGS.values(), strict=True):
            shown = set(re.findall(r"^  --([\w-]+)", text, re.MULTILINE))
            assert shown
            assert shown <= {*options}


@pytest.mark.parametrize("name", EVERY)
def test_arguments_are_told_by_the_line_of_usage_alone(name):
    context = click.Context(EVERY[name], info_name=name)
    arguments = [each for each in EVERY[name].params if isinstance(each, click.Argument)]
    lines = EVERY[name].get_help(context).splitlines()
    assert not {f"  {each.make_metavar(context)}" for each in arguments} & {*lines}


# ---- out and output ------------------------------------------------------------------------------

FOLDERS, FILES = "--out", "--output"


@pytest.mark.parametrize("name", EVERY)
def test_out_is_a_folder_and_output_a_file_and_one_alone_is_both(name):
    kinds = {
        option: parameter.type
        for parameter in EVERY[name].params
        for option in parameter.opts
        if option in (FOLDERS, FILES)
    }
    record = {
        parameter.opts[0]: parameter.get_help_record(click.Context(EVERY[name]))
        for parameter in EVERY[name].params
        if {*parameter.opts} & {FOLDERS, FILES}
    }
    assert not kinds or kinds.keys() == {FOLDERS, FILES}, "the other word is accepted"
    for option, (shown, _) in record.items():
        assert not re.search(r"--out\b.*--out|, --out", shown), "help shows one of them"
        if option in kinds:
            assert kinds[option].dir_okay == (option == FOLDERS), option


def test_the_other_word_does_the_same(tmp_path):
    own = campaigns.write(tmp_path / "own", campaigns.versus({"lane": {100: 0.5}}))
    for option in (FOLDERS, FILES):
        target = tmp_path / f"{option}.html"
        assert laneway("report", own, option, target).returncode == 0
        assert target.exists()
        folder = tmp_path / option
        said = laneway("plot", own, "--figure", "time", "--format", "csv", option, folder)
        assert said.returncode == 0, said.stderr
        assert [*folder.glob("*.csv")]


# ---- exit codes ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Sources of all kinds: rows in which nothing gains, no rows, nothing at all."""
    path = tmp_path_factory.mktemp("sources")
    campaigns.write(path / "own", campaigns.versus({"lane": {100: 2}}))
    (path / "empty").mkdir()
    (path / "text").write_text("no rows\n")
    (path / "wrong.toml").write_text("[lanes]\nnumber = 0\n")
    (path / "wrong.conf").write_text("laneway profile 1\nbcast use nosuch\n")
    return path


READ = ("report", "plot", "verify", "profile write", "model fit", "machine fit --output x.toml",
        "export --format ompi-dynamic-rules", "decisions")  # fmt: skip


@pytest.mark.parametrize("source", ["nosuch", "empty", "text"])
@pytest.mark.parametrize("command", READ)
def test_what_cannot_be_read_is_bad_input(command, source, folder):
    assert laneway(*command.split(), source, cwd=folder).returncode == 2


@pytest.mark.parametrize(
    "line",
    [
        "study allreduce --rows nosuch",
        "machine check nosuch",
        "machine check nosuch.toml",
        "machine show wrong.toml",
        "simulate bcast --machine nosuch",
        "campaign run nosuch",
        "campaign status empty",
        "campaign import text",
        "profile check nosuch",
        "profile show bcast --nodes 2 --ppn 2 --profile nosuch",
        "explain choice bcast --nodes 2 --ppn 2 --profile nosuch",
        "exec --profile nosuch -- true",
        "tune --for empty",
        "compare bcast --cluster nosuch",
        "cluster run --name nosuch -- true",
        "plot own --operation scan",
        "model fit own --collective scan",
        "verify own --guideline nosuch",
        "compare bcast -m 1Mb",
        "nosuch",
    ],
)
def test_what_makes_no_sense_or_is_not_there_ends_with_2(line, folder):
    said = laneway(*line.split(), cwd=folder)
    assert said.returncode == 2, said.stderr


@pytest.mark.parametrize(
    "line",
    [
        "machine check wrong.toml",
        "profile check wrong.conf",
        "profile write own",
        "export own --format ompi-dynamic-rules",
        "report own --output /proc/x/y.html",
    ],
)
def test_what_is_judged_not_to_be_well_or_fails_ends_with_1(line, folder):
    if line.startswith("profile check") and not native.installed():
        pytest.skip("no native build is installed")
    assert laneway(*line.split(), cwd=folder).returncode == 1


def test_the_codes_are_told_on_the_page_of_questions():
    codes = QUESTIONS.partition("**Exit codes**")[2]
    assert re.findall(r"^\| (\d+) \|", codes, re.MULTILINE) == ["0", "1", "2", "3", "4", "130"]


def test_every_command_is_in_a_group_once():
    assert len({each.name for each in COMMANDS}) == len(COMMANDS)


# ---- width ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "line",
    ["algorithms", "algorithms bcast --nodes 4", "machine list", "machine gain",
     "report --table own", "verify --all own", "study list"],
)  # fmt: skip
def test_tables_have_120_columns_at_most_in_a_pipe_and_nothing_is_left_out(line, tmp_path):
    rows = campaigns.campaign(("allreduce", "reduce_scatter_block"), sizes=6, runs=2, samples=1,
                              lanes=(1, 2))  # fmt: skip
    campaigns.write(tmp_path / "own", rows)
    said = laneway(*line.split(), cwd=tmp_path).stdout
    assert said
    sentences = (".", KEY)
    tables = [row for row in said.splitlines() if not row.endswith(sentences)]
    tables = [row for row in tables if "laneway" not in row]
    assert max(map(len, tables)) <= 120
    assert "…" not in said
    assert "no room here" not in said


# ---- the end -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("simulate bcast --nodes 2 --ppn 2 --count 100000 --algorithm lane,hierarchical",
         "By the simulated clock lane is the fastest bcast of 391 KiB; next hierarchical, "),
        ("simulate bcast --nodes 2 --ppn 2 --count 1000 --algorithm lane", ""),
        ("scale bcast --nodes 2,4 --ppn 2 --bytes 64K --algorithm lane,hierarchical",
         "By the simulated clock lane is the fastest on 4 nodes ("),
        ("explain schedule bcast --algorithm lane_pipeline(segment=4K) --bytes 64K --ppn 2", ""),
        ("explain schedule allreduce --algorithm ring --ppn 4,3,5 --count 10", ""),
    ],
)  # fmt: skip
def test_what_is_simulated_ends_with_a_sentence_and_a_command_that_runs(line, sentence):
    said = laneway(*line.split())
    assert said.returncode == 0, said.stderr
    *_, last = said.stdout.splitlines()
    assert re.match(r"to (see|hold) [\w ]+: laneway ", last)
    assert not sentence or any(each.startswith(sentence) for each in said.stdout.splitlines())
    words = shlex.split(last.partition(": laneway ")[2])
    if words[0] == "simulate":
        again = laneway(*words)
        assert again.returncode == 0, again.stderr
