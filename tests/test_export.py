# SPDX-License-Identifier: BSD-3-Clause
"""`laneway export`: what the MPI library is to use of its own, as it reads it."""

import json
import re

import pytest

import campaigns
import jobs
from benchmark import measured, of_kind
from commands import laneway
from laneway.choosing import csel
from laneway.choosing.exports import Export, Facts, dynamic_rules, selection, tuned_json, variables
from laneway.choosing.recommendation import Where, own_recommendations
from laneway.libraries import registry, selection_trees
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
        ("alltoallv", "pairwise", 2, {}),
        ("reduce_scatter", "ring", 3, {"segmentsize": 0, "tree_fanout": 2, "chain_fanout": 4}),
    ]
}

BINOMIAL, RING = ({f"algorithm=MPIR_Bcast_intra_{name}": {}} for name in ("binomial", "ring"))
COMPOSED = {"composition=MPIDI_Bcast_intra_composition_alpha": {}}
TREES = selection_trees.SelectionTrees(
    general={
        "collective=bcast": {
            "comm_type=intra": {"comm_size<8": BINOMIAL, "comm_size=any": RING},
            "comm_type=inter": {"algorithm=MPIR_Bcast_inter_remote_send_local_bcast": {}},
        },
        "collective=reduce": {"comm_type=intra": {"algorithm=MPIR_Reduce_intra_binomial": {}}},
        "collective=allgather": {"comm_type=intra": {"algorithm=MPIR_Allgather_intra_ring": {}}},
        "collective=alltoallv": {
            "comm_type=intra": {"algorithm=MPIR_Alltoallv_intra_scattered": {}}
        },
        "collective=reduce_scatter": {
            "comm_type=intra": {"algorithm=MPIR_Reduce_scatter_intra_pairwise": {}}
        },
        "collective=exscan": {"algorithm=MPIR_Exscan_intra_recursive_doubling": {}},
    },
    device={"collective=bcast": {"comm_type=intra": COMPOSED}},
)
"""Trees like those of MPICH, but for their size."""

SIZES = {
    (collective, Where("Open MPI 4.1.4", 4, 4, 2)): (400, 40000)
    for collective in ("bcast", "alltoallv")
}
FACTS = Facts(lambda: KNOWN, lambda: SIZES, lambda: TREES)


def confirmed(factors, **more):
    """The recommendations on 4 nodes with 4 ranks each; counts are of elements of 4 bytes."""
    return own_recommendations(Measured([*campaigns.versus(factors, **more)]))


TWO = {
    "native:pipeline(segmentsize=8K)": {100: 2, 10000: 0.5, 100000: 0.5},
    "native:binomial": {100: 0.5, 10000: 2, 100000: 2},
    "lane": {100: 0.1, 10000: 0.1, 100000: 0.1},
}


def numbers(text):
    return [line.partition("#")[0].strip() for line in text.splitlines()]


def test_rules_hold_where_they_were_measured_and_nowhere_else():
    export = dynamic_rules(confirmed(TWO), FACTS)
    assert numbers(export.text) == [
        *("1", "7", "3"),
        *("1", "1", "0 0 0 0"),
        *("16", "5", "0 0 0 0", "400 6 4 0", "401 0 0 0", "40000 3 4 8192", "400001 0 0 0"),
        *("17", "1", "0 0 0 0"),
    ]
    assert (export.used, export.left_out) == (2, [])


def test_open_mpi_counts_the_bytes_of_all_blocks():
    own = confirmed({"native:ring": {100: 0.5, 1000: 0.5}}, collective="allgather")
    (rules,) = [line for line in numbers(dynamic_rules(own, FACTS).text) if " 4 2 0" in line]
    assert rules == f"{16 * 400} 4 2 0"
    assert f"{16 * 4000 + 1} 0 0 0" in numbers(dynamic_rules(own, FACTS).text)


def test_open_mpi_counts_the_bytes_of_all_blocks_of_any_lengths():
    own = confirmed({"native:ring": {100: 0.5, 1000: 0.5}}, collective="reduce_scatter")
    lines = numbers(dynamic_rules(own, FACTS).text)
    assert lines[1] == "12"
    assert {f"{16 * 400} 3 4 0", f"{16 * 4000 + 1} 0 0 0"} < {*lines}


AT_ALL_SIZES, AT_ONE_SIZE = {100: 0.5, 10000: 0.5}, {100: 0.5, 10000: 2}


def test_an_algorithm_of_alltoallv_is_for_all_sizes():
    """No process knows the bytes of others: Open MPI counts 0, and MPICH's tree asks for none."""
    best = confirmed({"native:pairwise": AT_ALL_SIZES}, collective="alltoallv")
    assert numbers(dynamic_rules(best, FACTS).text) == [
        *("1", "4", "3"),
        *("1", "1", "0 0 0 0"),
        *("16", "2", "0 2 0 0", "1 0 0 0"),
        *("17", "1", "0 0 0 0"),
    ]
    (of_16,) = json.loads(tuned_json(best, FACTS).text)["collectives"]["alltoallv"]
    (rule,) = of_16["rules"]
    assert (rule["msg_size_min"], rule["msg_size_max"], rule["alg"]) == (0, 0, "pairwise")
    best = confirmed({"native:nb": AT_ALL_SIZES}, collective="alltoallv")
    general, device = both(selection(best, FACTS))
    for size in (0, 400, 10**9):
        here = call("alltoallv", size, is_sendbuf_inplace="no")
        assert selected(general, here) == "MPIR_Alltoallv_allcomm_nb"
        assert selected(device, here) is None
        here["is_sendbuf_inplace"] = "yes"
        assert selected(general, here) == "MPIR_Alltoallv_intra_scattered"


def test_an_algorithm_of_alltoallv_that_is_not_the_best_at_all_sizes_is_left_out():
    for name, write in (("pairwise", dynamic_rules), ("pairwise", tuned_json), ("nb", selection)):
        own = confirmed({f"native:{name}": AT_ONE_SIZE}, collective="alltoallv")
        export = write(own, FACTS)
        (sentence,) = export.left_out
        assert "this was not the best at all sizes that were measured" in sentence
        assert export.used == 0


def test_mpich_counts_the_bytes_of_all_blocks_of_any_lengths():
    own = confirmed({"native:recursive_halving": {100: 0.5}}, collective="reduce_scatter")
    (general, _) = both(selection(own, FACTS))
    halving = "MPIR_Reduce_scatter_intra_recursive_halving"
    assert selected(general, call("reduce_scatter", 400)) == halving
    for size, more in ((401, {}), (400, {"is_commutative": "no"})):
        here = call("reduce_scatter", size, **more)
        assert selected(general, here) == "MPIR_Reduce_scatter_intra_pairwise"


def test_json_has_the_fields_that_open_mpi_reads():
    """They are those of coll_tuned_dynamic_file.c in Open MPI's main branch."""
    told = json.loads(tuned_json(confirmed(TWO), FACTS).text)
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
        export = write(own, FACTS)
        (sentence,) = export.left_out
        assert said in sentence
        assert export.used == 0


def test_a_variable_of_mpich_holds_for_all_sizes():
    best = confirmed({"native:binomial": {100: 0.5, 10000: 0.5}})
    export = variables(best, FACTS)
    assert export.text == (
        "export MPIR_CVAR_BCAST_INTRA_ALGORITHM=binomial\n"
        "export MPIR_CVAR_BCAST_DEVICE_COLLECTIVE=0\n"
    )
    part = variables(confirmed({"native:binomial": {100: 0.5, 10000: 2}}), FACTS)
    assert part.used == 0
    assert "was not the best at all" in part.left_out[0]


def holds(condition, call):
    """Whether a condition holds, as MPICH 4.0 looks (MPIR_Csel_search, src/mpi/coll/src/csel.c)."""
    name, relation, value = re.fullmatch(r"(\w+?)(<=|<|=)(\w+)", condition).groups()
    if value == "any":
        return True
    if condition == "comm_size=pow2":
        return call["comm_size"] & (call["comm_size"] - 1) == 0
    if condition == "count<pow2":
        return call["count"] < 1 << (call["comm_size"].bit_length() - 1)
    if relation == "=":
        return str(call[name]) == value
    return call[name] < int(value) or (relation == "<=" and call[name] == int(value))


def selected(tree, call):
    """MPICH's choice: it follows the first condition that holds, and never turns back."""
    for condition, further in tree.items():
        if condition.startswith(("algorithm=", "composition=")):
            return condition.partition("=")[2]
        if holds(condition, call):
            return selected(further, call)
    return None


def call(collective, size, ranks=16, ppn=4, **more):
    """A call as in the measurement: on whole communicators, with predefined operators."""
    return {
        "collective": collective,
        "comm_type": "intra",
        "comm_size": ranks,
        "comm_avg_ppn": ppn,
        "comm_hierarchy": "parent",
        "avg_msg_size": size,
        "total_msg_size": size * ranks,
        "count": size // 4,
        "is_commutative": "yes",
        "is_op_built_in": "yes",
        **more,
    }


def both(export):
    return [json.loads(export.files[name]) for name in (csel.GENERAL, csel.DEVICE)]


NESTED = {
    "native:binomial": {100: 0.5, 1000: 0.5, 10000: 2},
    "native:scatter_ring_allgather": {100: 2, 1000: 2, 10000: 0.5},
}


def test_mpich_selects_as_confirmed_and_otherwise_as_before():
    export = selection(confirmed(NESTED), FACTS)
    general, device = both(export)
    assert (export.used, export.left_out) == (2, [])
    ring, binomial = "MPIR_Bcast_intra_scatter_ring_allgather", "MPIR_Bcast_intra_binomial"
    for size, said in [
        *((400, binomial), (1000, binomial), (4000, binomial), (40000, ring)),
        *((0, None), (399, None), (4001, None), (39999, None), (40001, None)),
    ]:
        here = call("bcast", size)
        assert selected(device, here) == (selected(TREES.device, here) if said is None else None)
        assert selected(general, here) == (said or selected(TREES.general, here))
    for elsewhere in (
        *(call("bcast", 400, ranks, 4) for ranks in (1, 7, 8, 15, 17, 64)),
        *(call("bcast", 400, 16, ppn) for ppn in (1, 3, 5, 16)),
        *(call("bcast", 400, comm_hierarchy=kind) for kind in ("node", "node_roots")),
        call("bcast", 400, comm_type="inter"),
        call("exscan", 400),
        call("allgather", 400),
    ):
        assert selected(general, elsewhere) == selected(TREES.general, elsewhere)
        assert selected(device, elsewhere) == selected(TREES.device, elsewhere)


def test_mpich_counts_the_bytes_of_all_blocks_of_some_collectives():
    export = selection(
        confirmed({"native:brucks": {100: 0.5, 1000: 0.5}}, collective="allgather"), FACTS
    )
    assert f"total_msg_size<={16 * 400 - 1}" in export.files[csel.GENERAL]
    assert f"total_msg_size<={16 * 4000}" in export.files[csel.GENERAL]


def test_an_algorithm_is_used_only_for_calls_that_it_can_serve():
    """MPICH does not look at what an algorithm requires where a file names it."""
    own = confirmed({"native:reduce_scatter_gather": {100: 0.5, 1000: 0.5}}, collective="reduce")
    (general, _) = both(selection(own, FACTS))
    assert selected(general, call("reduce", 400)) == "MPIR_Reduce_intra_reduce_scatter_gather"
    for more in ({"is_op_built_in": "no"}, {"is_commutative": "no"}, {"count": 15}):
        assert selected(general, call("reduce", 400, **more)) == "MPIR_Reduce_intra_binomial"


def test_a_device_without_compositions_has_one_file():
    trees = selection_trees.SelectionTrees(TREES.general, None)
    facts = Facts(dict, dict, lambda: trees)
    assert selection(confirmed(NESTED), facts).files.keys() == {csel.GENERAL}


@pytest.mark.parametrize(
    ("collective", "algorithm", "more", "said"),
    [
        ("gather", "native:nb", {}, "counts elements for bytes"),
        ("scan", "native:smp", {}, "knows no sizes"),
        ("bcast", "native:pipelined_tree", {}, "wants parameters"),
        ("alltoall", "native:pairwise_sendrecv_replace", {}, "wants parameters, or something"),
        ("allgather", "native:recursive_doubling", {"nodes": 3}, "a power of two of processes"),
        ("bcast", "native:smp", {"nodes": 1}, "wants several nodes"),
        ("bcast", "native:smp", {"ppn": 1}, "wants several nodes"),
        ("allgather", "native:ring", {"bytes": 2**30}, "no sizes above"),
    ],
)
def test_what_mpich_s_trees_cannot_say_is_left_out_and_told(collective, algorithm, more, said):
    export = selection(confirmed({algorithm: {100: 0.5}}, collective=collective, **more), FACTS)
    (sentence,) = export.left_out
    assert said in sentence
    assert (export.used, export.files) == (0, {})


def test_places_that_mpich_cannot_tell_apart_are_left_out():
    """It knows how many processes there are, and how many on a node, but no lanes."""
    fast = {"native:binomial": {100: 0.5}}
    rows = [row for lanes in (1, 2) for row in campaigns.versus(fast, lanes=lanes)]
    export = selection(own_recommendations(Measured(rows)), FACTS)
    assert [*map(len, (export.left_out, export.files))] == [2, 0]
    assert "cannot tell apart" in export.left_out[0]
    two = [
        *campaigns.versus(fast),
        *campaigns.versus(fast, nodes=2, ppn=8),
    ]
    general, _ = both(selection(own_recommendations(Measured(two)), FACTS))
    for ppn, said in ((4, BINOMIAL), (8, BINOMIAL), (5, RING), (16, RING)):
        found = selected(general, call("bcast", 400, 16, ppn))
        assert [f"algorithm={found}"] == [*said]


def test_virtual_nodes_are_left_out():
    rows = [*campaigns.versus({"native:binomial": {100: 0.5}})]
    for row in rows:
        if row["kind"] == "environment":
            row["settings"]["LANEWAY_NODE_SIZE"] = "4"
    (sentence,) = selection(own_recommendations(Measured(rows)), FACTS).left_out
    assert "virtual" in sentence


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


@pytest.mark.parametrize("build", MPICH)
def test_mpich_s_own_trees_and_names_are_found(build):
    trees = selection_trees.selection_trees(build)
    assert "composition=" in json.dumps(trees.device)
    known = [
        csel.rule(each.collective, each.algorithm.removeprefix("native:"), [4, 4], 1, 1)
        for each in registry.load_own(build)
    ]
    rules = [each for each in known if isinstance(each, csel.SelectionRule)]
    assert len(rules) > 20
    for tree in both(Export(files=csel.files(rules, trees))):
        assert {f"collective={collective}" for collective in csel.SIZES} <= tree.keys()
    named = selection_trees.library_of(build).read_bytes()
    assert all(each.leaf.encode() + b"\0" in named for each in rules)


@pytest.mark.parametrize("build", MPICH)
def test_mpich_does_as_the_trees_say(build, tmp_path, compiled):
    """Brackets show which algorithm served. MPICH takes one machine for two nodes if told so."""
    best = {"native:reduce_scatter_gather": {200: 0.5}, "native:binomial": {4000: 0.5}}
    shape = {"nodes": 2, "ppn": 2, "library": build.library}
    own = folder_of(tmp_path / "own", best, collective="reduce", **shape)
    said = laneway("export", own, "--format", "mpich-csel", "--output", tmp_path / "own.json")
    assert said.returncode == 0, said.stderr
    loaded = dict(re.findall(r"export (\w+)=(\S+)", said.stdout))
    assert [*loaded] == [csel.GENERAL, csel.DEVICE]
    program = compiled(build, "brackets.c", with_laneway=False)

    def brackets(**variables):
        nodes = {"MPIR_CVAR_NUM_CLIQUES": 2}
        ran = jobs.run(build, 4, [program, 50, 100, 2000, 4000], **nodes, **variables)
        assert ran.code == 0, ran.told
        return dict(line.rsplit(" ", 1) for line in ran.output.splitlines())

    def forced(algorithm):
        device = {"MPIR_CVAR_REDUCE_DEVICE_COLLECTIVE": 0}
        return brackets(MPIR_CVAR_REDUCE_INTRA_ALGORITHM=algorithm, **device)

    without, found = brackets(), brackets(**loaded)
    assert found == without | {
        "all 100": forced("reduce_scatter_gather")["all 100"],
        "all 2000": forced("binomial")["all 2000"],
    }
    assert {key for key in found if found[key] != without[key]} == {"all 100", "all 2000"}
    only = brackets(**{csel.GENERAL: loaded[csel.GENERAL]})
    assert only == without, "the device goes before: its file is needed, too"


@pytest.mark.parametrize("build", MPICH)
def test_whatever_the_trees_say_results_are_right(build, tmp_path):
    """Each of MPICH's algorithms at a count of its own, all collectives at all of these."""
    by_collective: dict[str, list[csel.SelectionRule]] = {}
    for each in registry.load_own(build):
        rules = by_collective.setdefault(each.collective, [])
        bytes_ = 0 if each.collective == "barrier" else 4 * (4 + len(rules))
        name = each.algorithm.removeprefix("native:")
        found = csel.rule(each.collective, name, [2, 2], bytes_, bytes_)
        if isinstance(found, csel.SelectionRule):
            rules.append(found)
    rules = [each for own in by_collective.values() for each in own]
    loaded = {}
    for name, text in csel.files(rules, selection_trees.selection_trees(build)).items():
        loaded[name] = tmp_path / name
        loaded[name].write_text(text)
    counts = range(3, 5 + max(map(len, by_collective.values())))
    asked = ("-a", "native", f"--count={','.join(map(str, counts))}", "-i", "1", "--time", "0.02")
    found = measured(build, 4, *asked, MPIR_CVAR_NUM_CLIQUES=2, **loaded)
    assert not of_kind("error", found)
    assert csel.SIZES.keys() <= {row["collective"] for row in of_kind("sample", found)}


@pytest.mark.parametrize("build", MPICH)
def test_several_files_want_a_name(build, tmp_path):
    own = folder_of(tmp_path / "own", {"native:binomial": {100: 0.5}}, library=build.library)
    said = laneway("export", own, "--format", "mpich-csel")
    assert said.returncode == 2
    assert "name --output" in said.stderr


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
    for form in ("mpich-cvar", "mpich-csel"):
        other = laneway("export", ours, "--format", form, "--output", target)
        assert other.returncode == 2
        assert f"{form} is for MPICH" in other.stderr
    assert not target.exists()
