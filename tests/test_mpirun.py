# SPDX-License-Identifier: BSD-3-Clause
"""The command lines of the launchers: where programs begin, and what else ranks are given."""

import os
import re
import shlex
import subprocess
from pathlib import Path

import pytest

from jobs import BUILDS, LIMIT
from laneway.interposition import exec as execution
from laneway.interposition import mpirun
from laneway.libraries import native
from laneway.libraries.identity import identify

ALLOWED = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def programs(words, family):
    """The places of the programs; None where one is not found."""
    parts = mpirun.parse(words, family)
    if not parts or not all(part.found for part in parts):
        return None
    lengths = [len(part.words()) + 1 for part in parts]
    return [sum(lengths[: i + 1]) - 1 - len(part.program) for i, part in enumerate(parts)]


@pytest.mark.parametrize(
    ("words", "family", "places"),
    [
        ("-np 8 sh -c true", "openmpi", [2]),
        ("--mca btl self,tcp -x A=1 --bind-to core -H a,b sh", "openmpi", [9]),
        ("--map-by=node --oversubscribe sh", "openmpi", [2]),
        ("--ppr 2:node --xml-file x -xterm 1 --report-events - sh", "openmpi", [8]),
        ("-n 2 sh -n 3 : -n 1 ls", "openmpi", [2, 8]),
        ("-genv A 1 -ppn 2 -genvall -f hosts sh", "mpich", [8]),
        ("-genv A=1 -n 2 sh", "mpich", [4]),
        ("-env A 1 -n 2 sh : -n 1 ls", "mpich", [5, 9]),
        ("-np 8 ./no-such-program", "openmpi", None),
        ("--version", "openmpi", None),
        ("", "mpich", None),
    ],
)
def test_programs_are_found_among_the_words_of_a_launcher(words, family, places):
    assert programs(words.split(), family) == places


@pytest.fixture
def application(tmp_path):
    """A program in a folder of its own."""
    program = tmp_path / "folder" / "application"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    return program


@pytest.mark.parametrize(
    ("said", "known"),
    [
        ("mpirun (Open MPI) 4.1.4", ("openmpi", "4.1.4", "Open MPI")),
        ("HYDRA build details:\n    Version:    4.0.2", ("mpich", "4.0.2", "MPICH")),
        ("Intel(R) MPI Library for Linux* OS, Version 2021.17 Build 20251007 (id: 0)\nCopyright",
         ("mpich", "2021.17", "Intel MPI")),
        ("something else", None),
    ],
)  # fmt: skip
def test_launchers_say_whose_they_are(said, known, tmp_path):
    launcher = tmp_path / "mpiexec"
    launcher.write_text(f"#!/bin/sh\ncat <<'END'\n{said}\nEND\n")
    launcher.chmod(0o755)
    found = identify(str(launcher))
    assert (found and found[:3]) == known


@pytest.mark.parametrize("option", ["-wdir", "--wdir", "-wd"])
def test_a_program_is_looked_for_where_ranks_start(application, option, tmp_path, monkeypatch):
    for folder in (tmp_path / "folder", Path("folder")):
        monkeypatch.chdir(tmp_path)
        words = [option, str(folder), "./application"]
        assert programs(words, "openmpi") == [2]
    assert programs(["-wdir", str(tmp_path), "./application"], "mpich") is None
    (bare,) = mpirun.parse([option, "folder", "application"], "openmpi")
    assert bare.program == ["./application"]
    (on_path,) = mpirun.parse(["--path", "folder", "application"], "openmpi")
    assert on_path.program == [str(application)]


@pytest.mark.parametrize(("family", "option"), [("openmpi", "--app"), ("mpich", "-configfile")])
def test_the_lines_of_a_file_are_parts(family, option, tmp_path):
    file = tmp_path / "parts"
    file.write_text("# two parts\n-n 1 sh -c ls\n\n-n 2 ls  # second\n")
    parts = mpirun.parse([option, str(file)], family)
    assert [part.words() for part in parts] == [["-n", "1", "sh", "-c", "ls"], ["-n", "2", "ls"]]
    assert programs([option, str(tmp_path / "nosuch")], family) is None


@pytest.mark.parametrize("build", BUILDS)
def test_words_of_a_file_are_those_of_the_launcher(build, tmp_path, monkeypatch):
    program = tmp_path / "it's"
    program.write_text('#!/bin/sh\nprintf "%s\\n" "$0" "$@"\n')
    program.chmod(0o755)
    file = tmp_path / "parts"
    file.write_text("""-n 1 ./it's "a b" 'c' \\d e//f g#h  i\n""")
    option = "--app" if build.family == "openmpi" else "-configfile"
    monkeypatch.chdir(tmp_path)
    said = subprocess.run(
        [build.mpiexec, option, str(file)], env={**os.environ, **ALLOWED},
        stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True, timeout=LIMIT,
    ).stdout  # fmt: skip
    (part,) = mpirun.parse([option, str(file)], build.family)
    assert part.program == said.split("\n")[:-1]


# ---- the options that a launcher has ---------------------------------------------------------

FLAGS_OF_MPICH = """
    genvnone genvall envnone envall enable-x disable-x verbose info print-all-exitcodes profile
    prepend-rank disable-auto-cleanup disable-hostname-propagation pmi-port skip-launch-node
    hybrid-hosts
"""
"""Options without a value: the help text of MPICH's launcher does not say of all which they are."""


def help_of(build):
    words = ["--help", "full"] if build.family == "openmpi" else ["--help"]
    return subprocess.run(
        [build.mpiexec, *words], env={**os.environ, **ALLOWED},
        capture_output=True, text=True, check=True, timeout=LIMIT,
    ).stdout  # fmt: skip


def known(family, count):
    return set(mpirun.VALUES[family][count].split())


@pytest.mark.parametrize("build", BUILDS)
def test_every_option_of_the_launcher_is_known_with_its_values(build):
    text = help_of(build)
    if build.family == "mpich":
        names = re.findall(r"^    -([a-z]\S*)", text, re.MULTILINE)
        names = {each.lstrip("-") for name in names for each in name.split("/")}
        assert names >= {"genv", "np", "ppn"}
        valued = known("mpich", 1) | known("mpich", 2)
        assert names - set(FLAGS_OF_MPICH.split()) == names & valued
        return
    lines = re.findall(r"^ {0,3}(-\S+)(.*)", text, re.MULTILINE)
    if not lines:
        pytest.skip(f"the launcher of {build.library} does not list its options")
    for names, rest in lines:
        for name in (each.lstrip("-") for each in names.split("|")):
            count = len(re.findall(r"<arg\d>", rest))
            if name not in {"h", "help"}:  # they end it in any case
                assert [n for n in (1, 2) if name in known("openmpi", n)] == [count][:count], name


# ---- what ranks are given ---------------------------------------------------------------------


def wrapped(family, words, environment=None, **settings):
    build = native.find(family)
    given, environment = execution.wrap(
        ["mpirun", *shlex.split(words)],
        build,
        execution.Settings(**settings),
        environment or {},
        verify=False,
    )
    return given[1:], environment, str(build.preload)


@pytest.mark.parametrize(
    ("family", "words", "environment"),
    [
        ("openmpi", "-x LD_PRELOAD=tool.so sh", {}),
        ("openmpi", "-x LD_PRELOAD sh", {"LD_PRELOAD": "tool.so"}),
        ("openmpi", "sh", {"LD_PRELOAD": "tool.so"}),
        ("openmpi", "-x LD_PRELOAD=tool.so sh", {"LD_PRELOAD": "other.so"}),
        ("mpich", "-genv LD_PRELOAD tool.so sh", {}),
        ("mpich", "-genv LD_PRELOAD=tool.so sh", {}),
        ("mpich", "sh", {"LD_PRELOAD": "tool.so /elsewhere/liblaneway_preload.so"}),
    ],
)
def test_tools_that_are_preloaded_stand_before_laneway(family, words, environment):
    given, _, preload = wrapped(family, words, environment)
    merged = f"tool.so:{preload}"
    once = {"openmpi": ["-x", f"LD_PRELOAD={merged}"], "mpich": ["-genv", "LD_PRELOAD", merged]}
    assert given == [*once[family], "sh"]


def test_tools_of_one_part_are_not_those_of_another():
    given, _, preload = wrapped("openmpi", "-x LD_PRELOAD=tool.so sh : ls")
    with_tool, without = f"LD_PRELOAD=tool.so:{preload}", f"LD_PRELOAD={preload}"
    assert given == ["-x", with_tool, "sh", ":", "-x", without, "ls"]
    given, _, preload = wrapped("mpich", "-env LD_PRELOAD tool.so sh : ls")
    local = ["-env", "LD_PRELOAD", f"tool.so:{preload}"]
    assert given == ["-genv", "LD_PRELOAD", preload, *local, "sh", ":", "ls"]


def test_open_mpis_list_of_variables_is_added_to():
    listed = "A=1;LD_PRELOAD=tool.so"
    extended = "A=1;LANEWAY_LANES=2;LD_PRELOAD=tool.so:{}"
    name = "OMPI_MCA_mca_base_env_list"
    given, environment, preload = wrapped("openmpi", "sh : ls", {name: listed}, lanes=2)
    assert given == ["sh", ":", "ls"]
    assert environment == {name: extended.format(preload)}
    words = ["--mca", "mca_base_env_list"]
    given, environment, _ = wrapped("openmpi", f"{shlex.join([*words, listed])} sh", lanes=2)
    assert given == [*words, extended.format(preload), "sh"]
    assert environment == {}
