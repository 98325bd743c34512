# SPDX-License-Identifier: BSD-3-Clause
"""scripts/modules.py: circles and forbidden directions among the modules of src are found.

Files that are too long, and those that ask which MPI library it is, are found as well.
"""

import runpy
import subprocess
import sys

import pytest

from jobs import ROOT

SCRIPT = ROOT / "scripts" / "modules.py"
modules = runpy.run_path(str(SCRIPT))


def found(folder, sources):
    for name, includes in sources.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("".join(f'#include "{each}"\n' for each in includes))
    return [*modules["complaints"](modules["read"](modules["files"](folder)))]


def test_nothing_is_wrong_with_this_tree():
    said = subprocess.run([sys.executable, SCRIPT], capture_output=True, text=True, check=False)
    assert said.returncode == 0, said.stderr
    assert "bench/operations   -> bench/text, blocks\n" in said.stdout


CIRCLE = {
    "switch/one.hpp": ["switch/two.hpp"],
    "switch/two.hpp": [],
    "switch/two.cpp": ["switch/two.hpp", "switch/three.hpp"],
    "switch/three.hpp": ["switch/one.hpp"],
}


def test_a_circle_is_found_and_named(tmp_path):
    (line,) = found(tmp_path, CIRCLE)
    names = ["switch/one", "switch/two", "switch/three"] * 2
    circles = [" -> ".join(names[first : first + 4]) for first in range(3)]
    assert line.removeprefix("a circle: ") in circles


@pytest.mark.parametrize(
    ("sources", "complaint"),
    [
        (
            {
                "bench/operations/more.cpp": ["collectives/algorithm.hpp"],
                "collectives/algorithm.hpp": [],
            },
            (
                "bench/operations/more includes collectives/algorithm: "
                "bench/operations must not know collectives"
            ),
        ),
        (
            {
                "algorithms/bcast/more.cpp": ["data/scratch.hpp", "messages/pmpi.hpp"],
                "data/scratch.hpp": [],
                "messages/pmpi.hpp": [],
            },
            "algorithms/bcast/more includes messages/pmpi: algorithms must not know messages",
        ),
        ({"other/more.cpp": []}, "other/more lies in no room: ROOMS has the others"),
        ({"data/more.cpp": ["data/no.hpp"]}, "data/more includes data/no, which is not there"),
    ],
    ids=["room", "module of a room", "no room", "no file"],
)
def test_what_is_forbidden_is_found(tmp_path, sources, complaint):
    assert found(tmp_path, sources) == [complaint]


def test_files_that_are_too_long_are_found():
    too_long = modules["too_long"]
    assert [*too_long({"data/more.cpp": "\n" * 300, "algorithms/bcast/one.cpp": "\n" * 40})] == []
    assert [*too_long({"data/more.cpp": "\n" * 301, "data/less.cpp": ""})] == [
        "data/more.cpp has 301 lines, more than 300"
    ]
    algorithms = {f"algorithms/bcast/{name}.cpp": "\n" * 41 for name in ("one", "other")}
    assert [*too_long(algorithms)] == ["algorithms have 41.0 lines on average, over 40"]


@pytest.mark.parametrize(
    "line",
    [
        "#ifdef MPICH",
        "#  ifndef OPEN_MPI",
        "#if defined(MPI_SESSION_NULL) && !defined(MPICH)",
        "#elif OMPI_MAJOR_VERSION > 4",
        "#if MPICH_NUMVERSION >= 40000000",
    ],
)
def test_one_place_knows_which_library_it_is(line):
    knows_library = modules["knows_library"]
    text = f"// of MPICH\n{line}\n#endif\n"
    assert [
        *knows_library({"library/quirks.cpp": text, "call/more.hpp": "#ifdef MPI_VERSION\n"})
    ] == []
    assert [*knows_library({"call/more.hpp": text})] == [
        "call/more.hpp asks which MPI library it is: what differs is in library/quirks.hpp"
    ]


@pytest.mark.parametrize(
    ("name", "call", "said"),
    [
        ("messages/flow.cpp", "PMPI_Wait(&request", ["real::Wait"]),
        ("call/run.hpp", "PMPI_Iallreduce_c(data", ["real::Iallreduce_c"]),
        ("call/run.hpp", "PMPI_Bcast_init(data", ["real::Bcast_init"]),
        ("library/real.cpp", "PMPI_Wait(&request", []),
        ("messages/flow.cpp", "PMPI_Isend(data", []),
        ("messages/comm.cpp", "PMPI_Comm_split(parent", []),
    ],
)
def test_calls_that_lead_back_to_the_preload_are_found(name, call, said):
    lists = {"library/interposed.h": (ROOT / "src" / "library" / "interposed.h").read_text()}
    found = [*modules["calls_back"]({**lists, name: call})]
    assert [line.split()[-1] for line in found] == said


def test_two_things_of_one_name_are_found():
    one_name = modules["one_name"]
    thing = "namespace laneway {\nnamespace {\nstruct Way {\n};\n}  // namespace\n}  // namespace\n"
    apart = "namespace laneway::bench {\nclass Way {\n};\n}  // namespace laneway::bench\n"
    only_named = (
        "namespace laneway {\nclass Way;\nstruct Way::Part {\n};\n}  // namespace laneway\n"
    )
    assert [*one_name({"one.hpp": thing, "other.cpp": apart, "third.hpp": only_named})] == []
    assert [*one_name({"one.hpp": thing, "other.cpp": thing})] == [
        "laneway::Way is 2 things: one.hpp, other.cpp"
    ]
