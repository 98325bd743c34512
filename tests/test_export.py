# SPDX-License-Identifier: BSD-3-Clause
"""`laneway export`: what the MPI library is to use of its own, as it reads it."""

import json
import re

import pytest

import campaigns
import jobs
from benchmark import measured, of_kind
from commands import laneway
from laneway.choosing.exports import dynamic_rules, tuned_json, variables
from laneway.choosing.recommendation import Where, own_recommendations
from laneway.libraries.registry import Own
from laneway.results.measurements import Measured
from test_native_algorithms import MPICH, OPEN_MPI, sent

KNOWN = {
    (collective, f"native:{name}"): Own(collective, f"native:{name}", number, presets)
    for collective, name, number, presets in [
        ("bcast", "pipeline", 3, {"segmentsize": 0, "tree_fanout": 2, "chain_fanout": 4}),
        ("bcast", "binomial", 6, {"segmentsize": 0, "tree_fanout": 2, "chain_fanout": 4}),
        ("bcast", "han", None, {}),
        ("allgather", "ring", 4, {"segmentsize": 0, "tree_fanout": 2, "chain_fanout": 4}),
        ("scatter", "binomial", 2, {}),
    ]
}


def confirmed(factors, **more):
    """On 4 nodes with 4 ranks each; counts are of elements of 4 bytes."""
    return own_recommendations(Measured([*campaigns.versus(factors, **more)]))


TWO = {
    "native:pipeline(segmentsize=8K)": {100: 2, 10000: 0.5, 100000: 0.5},
    "native:binomial": {100: 0.5, 10000: 2, 100000: 2},
    "lane": {100: 0.1, 10000: 0.1, 100000: 0.1},
}


def numbers(text):
    return [line.partition("#")[0].strip() for line in text.splitlines()]


def test_rules_hold_where_they_were_measured_and_nowhere_else():
    export = dynamic_rules(confirmed(TWO), KNOWN, None)
    assert numbers(export.text) == [
        *("1", "7", "3"),
        *("1", "1", "0 0 0 0"),
        *("16", "5", "0 0 0 0", "400 6 4 0", "401 0 0 0", "40000 3 4 8192", "400001 0 0 0"),
        *("17", "1", "0 0 0 0"),
    ]
    assert (export.used, export.left_out) == (2, [])


def test_open_mpi_counts_the_bytes_of_all_blocks():
    own = confirmed({"native:ring": {100: 0.5, 1000: 0.5}}, collective="allgather")
    (rules,) = [line for line in numbers(dynamic_rules(own, KNOWN, None).text) if " 4 2 0" in line]
    assert rules == f"{16 * 400} 4 2 0"
    assert f"{16 * 4000 + 1} 0 0 0" in numbers(dynamic_rules(own, KNOWN, None).text)


def test_json_has_the_fields_that_open_mpi_reads():
    """Those of coll_tuned_dynamic_file.c in Open MPI's main branch."""
    told = json.loads(tuned_json(confirmed(TWO), KNOWN, None).text)
    assert (told["module"], told["rule_file_version"]) == ("tuned", 3)
    assert told["collectives"].keys() == {"bcast"}
    (communicators,) = told["collectives"].values()
    (of_16,) = communicators
    assert of_16.keys() == {"comm_size_min", "comm_size_max", "rules"}
    assert (of_16["comm_size_min"], of_16["comm_size_max"]) == (16, 16)
    short, long = of_16["rules"]
    assert short == {
        "msg_size_min": 400, "msg_size_max": 400, "alg": "binomial", "faninout": 4, "seg_size": 0,
    }  # fmt: skip
    assert (long["alg"], long["seg_size"], long["msg_size_max"]) == ("pipeline", 8192, 400000)


@pytest.mark.parametrize(
    ("collective", "algorithm", "said"),
    [
        ("scatter", "native:binomial", "processes may give differently"),
        ("bcast", "native:han", "a component"),
        ("bcast", "native:pipeline(knomial_radix=8)", "no knomial_radix"),
    ],
)
def test_what_a_format_cannot_say_is_left_out_and_told(collective, algorithm, said):
    own = confirmed({algorithm: {100: 0.5}}, collective=collective)
    for write in (dynamic_rules, tuned_json):
        export = write(own, KNOWN, None)
        (sentence,) = export.left_out
        assert said in sentence
        assert export.used == 0


def test_a_variable_of_mpich_holds_for_all_sizes():
    sizes = {("bcast", Where("Open MPI 4.1.4", 4, 4, 2)): (400, 40000)}
    best = confirmed({"native:binomial": {100: 0.5, 10000: 0.5}})
    export = variables(best, None, sizes)
    assert export.text == (
        "export MPIR_CVAR_BCAST_INTRA_ALGORITHM=binomial\n"
        "export MPIR_CVAR_BCAST_DEVICE_COLLECTIVE=0\n"
    )
    part = variables(confirmed({"native:binomial": {100: 0.5, 10000: 2}}), None, sizes)
    assert part.used == 0
    assert "was not the best at all" in part.left_out[0]


def folder_of(path, factors, **more):
    """A campaign that never took place."""
    return campaigns.write(path, campaigns.versus(factors, **more))


@pytest.mark.parametrize("build", OPEN_MPI)
def test_open_mpi_does_as_the_rules_say(build, tmp_path):
    factors = {"native:pipeline": {10000: 0.5}}
    own = folder_of(tmp_path / "own", factors, nodes=2, ppn=2, library=build.library)
    rules = tmp_path / "rules"
    said = laneway("export", own, "--format", "ompi-dynamic-rules", "--output", rules)
    assert said.returncode == 0, said.stderr
    loaded = {
        "OMPI_MCA_coll_tuned_use_dynamic_rules": 1,
        "OMPI_MCA_coll_tuned_dynamic_rules_filename": rules,
    }
    pipeline = {(0, 1), (1, 2), (2, 3)}
    assert sent(build, tmp_path, "native", **loaded).keys() == pipeline
    assert sent(build, tmp_path, "native").keys() != pipeline


@pytest.mark.parametrize("build", MPICH)
def test_mpich_does_as_the_variables_say(build, tmp_path):
    """The algorithm wants several nodes; here is one, and MPICH is asked not to do without."""
    own = folder_of(tmp_path / "own", {"native:smp": {100: 0.5}}, library=build.library)
    said = laneway("export", own, "--format", "mpich-cvar")
    assert said.returncode == 0, said.stderr
    loaded = dict(re.findall(r"export (\w+)=(\w+)", said.stdout))
    loud = {"MPIR_CVAR_COLLECTIVE_FALLBACK": "error"}
    asked = ("bcast", "-a", "native", "--count=100", "-i", "2")
    assert of_kind("sample", measured(build, 3, *asked, **loud))
    refused = jobs.run(build, 3, [build.bench, *asked], **loud, **loaded)
    assert refused.code != 0
    assert "smp" in refused.told


@pytest.mark.parametrize("build", jobs.BUILDS[:1])
def test_what_export_refuses(build, tmp_path):
    ours = folder_of(tmp_path / "ours", {"lane": {100: 0.5}}, library=build.library)
    profile = tmp_path / "profile.conf"
    profile.write_text("laneway profile 1\n")
    target = tmp_path / "target"
    for source, code, told in (
        (ours, 1, "nothing to export: none of"),
        (profile, 2, "is a profile"),
        (tmp_path / "nowhere", 2, "does not exist"),
    ):
        said = laneway("export", source, "--format", "ompi-dynamic-rules", "--output", target)
        assert said.returncode == code
        assert told in said.stderr
    other = laneway("export", ours, "--format", "mpich-cvar", "--output", target)
    assert other.returncode == 2
    assert "mpich-cvar is for MPICH" in other.stderr
    assert not target.exists()
