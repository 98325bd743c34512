# SPDX-License-Identifier: BSD-3-Clause
"""The MPI library's own algorithms, one by one: `native:NAME`."""

import json
import re

import pytest

import jobs
from benchmark import measured, of_kind
from commands import laneway
from laneway.libraries import registry

OPEN_MPI = [build for build in jobs.BUILDS if build.values[0].family == "openmpi"][:1]
MPICH = [build for build in jobs.BUILDS if build.values[0].family == "mpich"][:1]

BLOCK = 40000
"""Bytes of the broadcasts whose messages are counted: more than all others together."""


def own(build, collective):
    return [each.algorithm for each in registry.load_own(build) if each.collective == collective]


@pytest.mark.parametrize("build", jobs.BUILDS)
def test_every_one_gives_the_right_result_or_is_refused_by_the_library(build):
    found = measured(build, 3, "-a", "native,native:*", "--count=10", "-i", "1", "--time", "0.02")
    assert not of_kind("error", found)
    told = {(row["collective"], row["algorithm"]) for row in found if "algorithm" in row}
    listed = {(each.collective, each.algorithm) for each in registry.load_own(build)}
    assert len(listed) > 40
    assert listed <= told
    refused = {row["algorithm"] for row in of_kind("note", found) if "eligible" in row["message"]}
    assert refused <= {"native:two_proc", "native:noncommutative"}


def sent(build, folder, algorithm, repetitions=20, **more):
    """Which rank sent all blocks to which, and in how many messages: Open MPI's own count."""
    variables = {"enable": 2, "enable_output": 3, "filename": folder / "sent"}
    more |= {f"OMPI_MCA_pml_monitoring_{name}": each for name, each in variables.items()}
    asked = ("bcast", "-a", algorithm, "-m", f"{BLOCK}:{BLOCK}", "-i", repetitions, "-x", "0")
    measured(build, 4, *asked, "--time", "100", **more)
    found = {}
    for file in folder.glob("sent*.prof"):
        for line in file.read_text().splitlines():
            inner = re.match(r"I\s+(\d+)\s+(\d+)\s+(\d+) bytes\s+(\d+) msgs", line)
            if inner and int(inner[3]) >= repetitions * BLOCK:
                found[int(inner[1]), int(inner[2])] = int(inner[4])
    return found


@pytest.mark.parametrize("build", OPEN_MPI)
@pytest.mark.parametrize(
    ("algorithm", "pairs"),
    [
        ("native:basic_linear", {(0, 1), (0, 2), (0, 3)}),
        ("native:pipeline", {(0, 1), (1, 2), (2, 3)}),
        ("native:binomial", {(0, 1), (0, 2), (1, 3)}),
    ],
)
def test_open_mpi_sends_what_the_algorithm_says(build, algorithm, pairs, tmp_path):
    assert sent(build, tmp_path, algorithm).keys() == pairs


@pytest.mark.parametrize("build", OPEN_MPI)
def test_open_mpi_s_tunables_are_used(build, tmp_path):
    repetitions = 20
    found = sent(build, tmp_path, "native:pipeline(segmentsize=4000)", repetitions)
    assert found.keys() == {(0, 1), (1, 2), (2, 3)}
    assert min(found.values()) >= 10 * repetitions


@pytest.mark.parametrize("build", OPEN_MPI)
@pytest.mark.parametrize(("bytes_", "fits"), [(1 << 16, True), ((1 << 16) + 4, False)])
def test_what_would_end_the_job_is_left_out(build, bytes_, fits):
    """An allreduce of several segments by Open MPI's component han."""
    if "native:han" not in own(build, "allreduce"):
        pytest.skip("it has no component han")
    mended = [*map(int, re.findall(r"\d+", build.library))] >= [4, 1, 6]
    asked = ("allreduce", "-a", "native,native:han", "-m", f"{bytes_}:{bytes_}", "-i", "2")
    found = measured(build, 3, *asked, "--time", "0.1", OMPI_MCA_coll_han_allreduce_segsize=1 << 16)
    notes = [row["message"] for row in of_kind("note", found) if "eligible" in row["message"]]
    assert [("coll_han_allreduce_segsize" in note) for note in notes] == (
        [] if fits or mended else [True]
    )
    timed = {row["algorithm"] for row in of_kind("sample", found)}
    assert timed == {"native", "native:han"} - ({"native:han"} if notes else set())


@pytest.mark.parametrize("build", MPICH)
def test_mpich_uses_the_algorithm_or_says_that_it_cannot(build):
    """All ranks are on one node: `smp` wants several."""
    asked = ("bcast", "-a", "native:smp,native:binomial", "--count=1000", "-i", 2)
    found = measured(build, 3, *asked, MPIR_CVAR_COLLECTIVE_FALLBACK="error")
    (note,) = of_kind("note", found)
    assert note["algorithm"] == "native:smp"
    assert note["message"].startswith("not eligible: ")
    assert {row["algorithm"] for row in of_kind("sample", found)} == {"native:binomial"}
    quiet = measured(build, 3, *asked)
    assert {row["algorithm"] for row in of_kind("sample", quiet)} == {
        "native:smp", "native:binomial"
    }  # fmt: skip


@pytest.mark.parametrize("build", MPICH)
def test_names_and_numbers_are_those_of_the_library(build, compiled):
    """It refuses at the start what is no name of its own."""
    program = compiled(build, "control_variables.c", with_laneway=False)
    listed: dict[str, list[str]] = {}
    for each in registry.load_own(build):
        listed.setdefault(f"MPIR_CVAR_{each.collective.upper()}_INTRA_ALGORITHM", []).append(
            each.algorithm.removeprefix("native:")
        )
    assert len(listed) > 10
    for number in range(max(map(len, listed.values()))):
        chosen = {name: own[number] for name, own in listed.items() if number < len(own)}
        said = jobs.run(build, 1, [program, *chosen], **chosen)
        assert said.code == 0, said.told
        assert dict(map(str.split, said.output.splitlines())) == dict.fromkeys(
            chosen, str(number + 1)
        )


@pytest.mark.parametrize("build", jobs.BUILDS)
def test_unknown_names_are_refused_with_those_that_are_known(build):
    for label in ("native:nosuch", "native:binomial(nosuch=1)"):
        said = jobs.run(build, 2, [build.bench, "bcast", "-a", label])
        assert said.code == 2
        assert label in said.errors
        assert "known: " in said.errors
    assert "native:binomial" in jobs.run(build, 1, [build.bench, "-a", "native:nosuch"]).errors
    said = jobs.run(build, 2, [build.bench, "pingpong", "-a", "native:*"])
    assert said.code == 2
    assert "cannot be told which of its algorithms of pingpong to use" in said.errors


@pytest.mark.parametrize("build", OPEN_MPI)
def test_open_mpi_may_be_forbidden_to_look(build):
    said = jobs.run(
        build, 2, [build.bench, "bcast", "-a", "native:chain"],
        OMPI_MCA_coll_tuned_use_dynamic_rules="0", OMPI_MCA_coll="^han,adapt",
    )  # fmt: skip
    assert said.code == 2
    assert "cannot be told" in said.errors


@pytest.mark.parametrize("build", jobs.BUILDS)
def test_they_are_compared_beside_ours(build, tmp_path):
    said = laneway(
        "compare", "bcast", "--mpi", build.id, "--nodes", "2", "--ppn", "2", "--count", "10",
        "--algorithm", "native,native:binomial,native:binomial#again,lane", "--runs", "1",
        "--time", "0.05", "--json", "--out", tmp_path / "own",
    )  # fmt: skip
    assert said.returncode == 0, said.stderr
    rows = [json.loads(line) for line in said.stdout.splitlines()]
    names = {"native", "native:binomial", "native:binomial#again", "lane"}
    assert {row["algorithm"] for row in rows} == names
    assert all(row["ratio_to_native"] > 0 for row in rows)


@pytest.mark.parametrize("build", jobs.BUILDS[:1])
def test_what_compare_refuses(build):
    for label, said in {
        "native:nosuch": "unknown algorithm 'native:nosuch'",
        "native:*#b": "only an algorithm can have another name",
    }.items():
        refused = laneway("compare", "bcast", "--mpi", build.id, "--algorithm", label)
        assert refused.returncode == 2
        assert said in refused.stderr


@pytest.mark.parametrize("build", jobs.BUILDS)
def test_they_are_listed(build):
    told = laneway("algorithms", "bcast", "--native", "--mpi", build.id)
    for name in own(build, "bcast"):
        assert name in told.stdout
    assert "allreduce" not in told.stdout
    rows = laneway("algorithms", "--native", "--mpi", build.id, "--json").stdout.splitlines()
    assert [json.loads(row)["algorithm"] for row in rows] == [
        each.algorithm for each in registry.load_own(build)
    ]
    refused = laneway("algorithms", "bcast", "--native", "--nodes", "4", "--mpi", build.id)
    assert refused.returncode == 2
    assert "--native goes with" in refused.stderr
