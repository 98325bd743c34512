# SPDX-License-Identifier: BSD-3-Clause
"""Profiles: what they choose, how they compose, and what becomes of damaged and hostile ones."""

import json
import os

import pytest

from jobs import BUILDS, ROOT, settings_error
from laneway.libraries import native, profile
from profiles import FIRST, laneway, served, written

# ---- what rules choose ----------------------------------------------------------------------


@pytest.mark.parametrize("build", BUILDS)
def test_rules_choose_by_bytes_and_shape(decide, build, tmp_path):
    path = written(
        tmp_path,
        "bcast use native\r\n"  # lines may end as elsewhere
        "bcast nodes=2 ppn=..2 bytes=1K..4K use lane # both ends included\n"
        "bcast nodes=3.. use hierarchical\n"
        "bcast layout=irregular use hierarchical\n"
        "bcast bytes=1M.. use lane_pipeline(segment=64K)\n",
    )
    outcome = decide(build, 1023, 1024, 4096, 4097, 1 << 20, LANEWAY_PROFILE=path)
    assert served(outcome) == {
        1023: "native", 1024: "lane", 4096: "lane", 4097: "native", 1 << 20: "lane_pipeline",
    }  # fmt: skip
    assert "laneway:" not in outcome.errors, outcome.told
    assert served(decide(build, 10, ranks=5, LANEWAY_PROFILE=path)) == {10: "hierarchical"}


@pytest.mark.parametrize("build", BUILDS)
def test_later_profiles_and_the_variable_win(decide, build, tmp_path):
    site = tmp_path / "site"
    site.mkdir()
    (site / "notes.txt").write_text("no profile, and not read")
    written(site, "bcast use lane\nallreduce use lane\n", "10-site.conf")
    written(site, "bcast bytes=100.. use hierarchical\n", "20-machine.conf")
    user = written(tmp_path, "bcast bytes=200.. use chain\n")
    settings = {"LANEWAY_PROFILE_DIR": site, "LANEWAY_PROFILE": user}
    got = served(decide(build, 50, 100, 200, **settings))
    assert got == {50: "lane", 100: "hierarchical", 200: "chain"}
    settings["LANEWAY_ALGORITHM"] = "bcast=lane_pipeline(segment=4K)"
    assert served(decide(build, 50, 200, **settings)) == {50: "lane_pipeline", 200: "lane_pipeline"}
    assert served(decide(build, 50, LANEWAY="off", **settings)) == {50: "native"}


@pytest.mark.parametrize("build", BUILDS)
def test_components_are_chosen_by_rules(decide, build, tmp_path):
    path = written(
        tmp_path,
        "bcast bytes=..99 use lane with bcast@lane=chain(segment=64) allgather@node=native\n"
        "bcast bytes=100.. use lane\n"
        "bcast@lane ranks=2 bytes=60.. use hierarchical\n",
    )
    assert served(decide(build, 50, 100, 1000, LANEWAY_PROFILE=path)) == dict.fromkeys(
        (50, 100, 1000), "lane"
    )


@pytest.mark.parametrize("build", BUILDS)
def test_a_profile_on_one_rank_only(decide, build, tmp_path):
    path = written(tmp_path, "bcast use lane\n")
    for rank, name in ((0, "lane"), (2, "native")):
        outcome = decide(build, f"{rank}=LANEWAY_PROFILE={path}", 10)
        assert served(outcome) == {10: name}
        assert outcome.errors.count("settings differ between processes") == 1, outcome.told


# ---- damaged and hostile profiles -----------------------------------------------------------


def file(content: bytes | str):
    """A profile of that content, whose complaint names it."""

    def make(folder):
        path = folder / "user.conf"
        path.write_bytes(content if isinstance(content, bytes) else (FIRST + content).encode())
        return path

    return make


def link(target):
    def make(folder):
        path = folder / "user.conf"
        path.symlink_to(target)
        return path

    return make


def fifo(folder):
    path = folder / "user.conf"
    os.mkfifo(path)
    return path


def forbidden(folder):
    path = written(folder, "bcast use lane\n")
    path.chmod(0)
    return path


DAMAGED = {
    "missing": (lambda folder: folder / "user.conf", "cannot be opened: No such file"),
    "a directory": (lambda folder: folder, "is a directory"),
    "a dangling link": (link("nowhere"), "cannot be opened: No such file"),
    "a link to itself": (link("user.conf"), "cannot be opened: Too many levels"),
    "a FIFO": (fifo, "is no regular file"),
    "a device without an end": (lambda _: "/dev/zero", "is no regular file"),
    "a file that cannot be read": (lambda _: "/proc/self/mem", "cannot be read"),
    "no permission": (forbidden, "cannot be opened: Permission denied"),
    "huge": (file(FIRST.encode() + b"#" * (2 << 20)), "larger than 1 MiB"),
    "empty": (file(b""), ":1: an empty file is no profile"),
    "binary": (file(b"\x7fELF\x02\x01\x01\x00\x00"), ":1: not text"),
    "null bytes": (file("bcast use lane\0\n"), ":2: not text"),
    "not UTF-8": (file(FIRST.encode() + b"# gr\xfc\xdfe\n"), ":2: not text"),
    "another format": (file(b'{"bcast": "lane"}\n'), ":1: no profile: it must begin with"),
    "a later format": (file(b"laneway profile 2\n"), ":1: no profile: it must begin with"),
    "an unknown collective": (file("bcst use lane\n"), ":2: no collective 'bcst'"),
    "an unknown algorithm": (file("bcast use fastest\n"), ":2: no bcast algorithm 'fastest'"),
    "an unknown condition": (file("bcast racks=2 use lane\n"), ":2: no condition 'racks'"),
    "an unknown tunable": (
        file("bcast use chain(size=2)\n"),
        ":2: chain has no tunable 'size'; it has: segment",
    ),
    "a tunable of an algorithm without": (
        file("bcast use lane(segment=2K)\n"),
        ":2: lane has no tunable 'segment'",
    ),
    "a tunable out of range": (
        file("bcast use chain(segment=1)\n"),
        ":2: segment: '1' is not from 64 to 1073741824",
    ),
    "a tunable past all numbers": (
        file("bcast use chain(segment=99999999999999999999G)\n"),
        ":2: segment: '99999999999999999999G' is not from",
    ),
    "negative numbers": (file("bcast bytes=-5..10 use lane\n"), ":2: bytes: '-5' is no number"),
    "overflow": (
        file("bcast bytes=9999999999999G.. use lane\n"),
        ":2: bytes: '9999999999999G' is not",
    ),
    "a number that is none": (file("bcast nodes=two use lane\n"), ":2: nodes: 'two' is no number"),
    "an empty range": (file("bcast bytes=2K..1K use lane\n"), ":2: bytes: '2K..1K' is an empty"),
    "a range without ends": (file("bcast bytes=.. use lane\n"), ":2: bytes: '..' is no range"),
    "a condition twice": (file("bcast ppn=2 ppn=4 use lane\n"), "'ppn' stands twice"),
    "a tunable twice": (
        file("bcast use chain(segment=4K,segment=8K)\n"),
        ":2: the tunable 'segment' stands twice",
    ),
    "blanks around =": (
        file("bcast bytes = 4K use lane\n"),
        ":2: bytes: its range is missing; write bytes=4K, without blanks around '='",
    ),
    "a blank after =": (
        file("bcast nodes= 4 use lane\n"),
        ":2: nodes: its range is missing",
    ),
    "lanes with =": (file("lanes = 2\n"), ":2: lanes: no '=' stands before the number"),
    "lanes with = and no blanks": (file("lanes=2\n"), ":2: lanes: no '=' stands before"),
    "no algorithm": (file("# a rule\n\nbcast nodes=2\n"), ":4: the rule names no algorithm"),
    "words too many": (file("bcast use lane quickly\n"), ":2: 'with' is expected instead of"),
    "an open parenthesis": (file("bcast use chain(segment=2K\n"), "is not of the form"),
    "cyclic components": (
        file("bcast@lane use lane with bcast@lane=lane\n"),
        ":2: a component has no components of its own",
    ),
    "a component of nothing": (file("bcast use lane with bcast@rack=lane\n"), "no scope 'rack'"),
    "a component without a scope": (file("bcast use lane with bcast=lane\n"), "names no component"),
    "lanes without end": (file("lanes 1000000\n"), ":2: lanes: '1000000' is not from 1 to 1024"),
    "a weight that is missing": (
        file("lanes 2 weights 2:\n"),
        ":2: lanes: '2:' are no weights of lanes such as 2:1: one is missing",
    ),
    "weights of other lanes": (
        file("lanes 2 weights 2:1:1\n"),
        ":2: lanes: 3 weights, and 2 lanes",
    ),
    "weights of nothing": (file("lanes 2 weights 0:0\n"), "some lane must carry something"),
    "a word that is no weight": (
        file("lanes 2 rates 2:1\n"),
        ":2: lanes: 'rates' is not 'weights'",
    ),
    "control characters": (file("bcast use \x1b[31mlane\n"), ":2: no bcast algorithm '?[31mlane'"),
}
WITHOUT_THE_RIGHT_TO_READ_ALL = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"]


SOON_SEEN = {"no permission", "a FIFO", "an unknown algorithm"}
"""Damage that `make test` gives to whole jobs; test-full does so with every kind."""


@pytest.mark.parametrize("damage", DAMAGED)
def test_damage_is_named_in_one_line(tmp_path, damage):
    make, complaint = DAMAGED[damage]
    path = make(tmp_path)
    as_root = damage == "no permission" and os.geteuid() == 0
    said = settings_error(
        native.find(),
        WITHOUT_THE_RIGHT_TO_READ_ALL if as_root else (),
        LANEWAY_PROFILE=path,
        LANEWAY_PROFILE_DIR="",
    )
    assert complaint in said


@pytest.mark.parametrize(
    "damage",
    [pytest.param(d, marks=() if d in SOON_SEEN else pytest.mark.full) for d in DAMAGED],
)
@pytest.mark.parametrize("build", BUILDS)
def test_a_damaged_profile_is_named_in_one_line_and_all_is_native(decide, build, tmp_path, damage):
    make, complaint = DAMAGED[damage]
    as_root = damage == "no permission" and os.geteuid() == 0
    outcome = decide(
        build,
        1000,
        prefix=WITHOUT_THE_RIGHT_TO_READ_ALL if as_root else (),
        ranks=3,
        LANEWAY_PROFILE=make(tmp_path),
        LANEWAY_ALGORITHM="bcast=lane",
    )
    assert served(outcome) == {1000: "native"}
    lines = [line for line in outcome.errors.splitlines() if "laneway:" in line]
    assert len(lines) == 1, outcome.told
    assert complaint in lines[0]
    assert lines[0].endswith("everything is served natively")
    assert lines[0].isprintable()


@pytest.mark.parametrize("build", BUILDS)
@pytest.mark.parametrize("damage", ["a FIFO", "an unknown algorithm"])
def test_strict_ends_the_job_at_a_damaged_profile(decide, build, tmp_path, damage):
    make, complaint = DAMAGED[damage]
    outcome = decide(build, 10, LANEWAY_PROFILE=make(tmp_path), LANEWAY_STRICT=1)
    assert outcome.code != 0, outcome.told
    assert " by " not in outcome.output
    assert outcome.errors.count(complaint) == 1, outcome.told


@pytest.mark.parametrize("build", BUILDS)
@pytest.mark.parametrize("rank", [0, 2])
def test_a_profile_that_is_damaged_on_one_rank_only(decide, build, tmp_path, rank):
    well = written(tmp_path, "bcast use lane\n", "well.conf")
    damaged = written(tmp_path, "bcast use lane\nbcast use fastest\n", "damaged.conf")
    words = [f"{rank}=LANEWAY_PROFILE={damaged}", 10, 20]
    outcome = decide(build, *words, LANEWAY_PROFILE=well)
    assert served(outcome) == {10: "native", 20: "native"}
    (line,) = (line for line in outcome.errors.splitlines() if "laneway:" in line)
    assert "settings differ between processes" in line
    assert f"on rank {rank}, " in line
    assert f"{damaged}:3: no bcast algorithm 'fastest'" in line
    assert line.endswith("everything is served natively")


@pytest.mark.parametrize("build", BUILDS)
@pytest.mark.parametrize("strict", [0, 3, None])
def test_strict_ends_the_job_at_a_profile_that_is_damaged_on_one_rank(
    decide, build, tmp_path, strict
):
    well = written(tmp_path, "bcast use lane\n", "well.conf")
    damaged = written(tmp_path, "bcast use fastest\n", "damaged.conf")
    everywhere = {"LANEWAY_STRICT": 1} if strict is None else {}
    words = [] if strict is None else [f"{strict}=LANEWAY_STRICT=1"]
    words.append(f"1=LANEWAY_PROFILE={damaged}")
    outcome = decide(build, *words, 10, LANEWAY_PROFILE=well, **everywhere)
    assert outcome.code != 0, outcome.told
    assert " by " not in outcome.output
    assert outcome.errors.count(f"{damaged}:2: no bcast algorithm 'fastest'") == 1, outcome.told


@pytest.mark.parametrize("build", BUILDS)
def test_the_same_file_twice(decide, build, tmp_path):
    path = written(tmp_path, "bcast use lane\n")
    (tmp_path / "again.conf").symlink_to(path)
    outcome = decide(build, 10, LANEWAY_PROFILE=f"{path}:{tmp_path / 'again.conf'}")
    assert served(outcome) == {10: "native"}
    assert "is named twice" in outcome.errors


# ---- laneway profile ------------------------------------------------------------------------


def test_check_names_everything_that_is_wrong(tmp_path):
    path = written(tmp_path, "bcast use nosuch\nbcast use lane\nscan bytes=x use lane\n")
    said = laneway("check", path)
    assert said.returncode == 1
    errors = said.stderr.splitlines()
    assert [line.split(":")[1] for line in errors] == ["2", "4"]
    facts = [json.loads(line) for line in laneway("check", "--json", path).stdout.splitlines()]
    assert sum("error" in fact for fact in facts) == 2
    assert [fact["algorithm"] for fact in facts if "rule" in fact] == ["lane"]


def test_check_notes_rules_that_never_hold(tmp_path):
    path = written(tmp_path, "bcast bytes=2K..4K use lane\nbcast bytes=1K.. use chain\n")
    said = laneway("check", path)
    assert said.returncode == 0
    assert f"{path}:2: note: never holds, {path}:3 hides it" in said.stderr


def test_check_notes_rules_that_overlap(tmp_path):
    rules = (
        "bcast bytes=1K..64K use lane\n"
        "bcast bytes=32K..128K use chain\n"
        "bcast bytes=40K nodes=2 use native\n"  # an exception within both
        "bcast bytes=100K..200K use chain\n"  # which makes no difference
        "allreduce bytes=32K..128K use lane\n"
    )
    path = written(tmp_path, rules)
    said = laneway("check", path)
    assert said.returncode == 0
    notes = [line for line in said.stderr.splitlines() if "note" in line]
    assert notes == [f"{path}:2: note: {path}:3 goes before it at bytes=32768..65536"]
    facts = [json.loads(line) for line in laneway("check", "--json", path).stdout.splitlines()]
    overlaps = [fact["overlapped_by"] for fact in facts if "overlapped_by" in fact]
    assert overlaps == [[{"rule": f"{path}:3", "where": {"bytes": [32 << 10, 64 << 10]}}]]

    # A later file wins over an earlier one on purpose.
    later = written(tmp_path, "bcast bytes=2K..1M use hierarchical\n", "later.conf")
    assert "later.conf:2 goes before" not in laneway("check", path, later).stderr


OVERLAPPING = {
    "apart": ("bytes={0}..{1}", None),
    "all with all": ("bytes={2}..{3}", "overlap that not all of them are compared"),
}


@pytest.mark.parametrize("ranges", OVERLAPPING)
def test_tens_of_thousands_of_rules_are_read(tmp_path, ranges):
    """With time for each pair they took minutes, and the command gives up after one."""
    form, remark = OVERLAPPING[ranges]
    number = 25000
    lines = [
        f"bcast {form.format(8 * i, 8 * i + 7, i, i + number)} use {('lane', 'chain')[i % 2]}\n"
        for i in range(number)
    ]
    path = written(tmp_path, "".join(lines))
    build = native.installed()[0]
    facts = profile.check(build, [path])
    assert sum("rule" in fact for fact in facts) == number
    assert [remark in fact["remark"] for fact in facts if "remark" in fact] == [True] * bool(remark)
    overlaps = [fact["overlapped_by"] for fact in facts if "overlapped_by" in fact]
    assert all(len(each) <= 16 for each in overlaps)
    assert bool(overlaps) == bool(remark)
    rule = profile.show(
        build, profile.CommunicatorShape(4, 4), "bcast", "1000", {"LANEWAY_PROFILE": str(path)}
    )
    assert rule["rule"] == f"{path}:{2 + (1000 if remark else 1000 // 8)}"


def test_show_tells_the_rule_that_decides(tmp_path):
    path = written(
        tmp_path, "bcast nodes=4 bytes=1M.. use lane with bcast@lane=chain(segment=8K)\n"
    )
    words = ["show", "bcast", "--nodes", 4, "--ppn", 4, "--profile", path]
    said = laneway(*words, "--bytes", "2M")
    assert said.stdout.splitlines() == [
        "bcast of 2M bytes on 4 x 4: lane(whole=2048) with bcast@lane=chain(segment=8192, order=1)",
        f"by {path}:2",
    ]
    assert "native, no rule fits" in laneway(*words, "--bytes", "1000").stdout
    rule = json.loads(laneway(*words, "--bytes", "2M", "--json").stdout)
    assert rule["where"] == {"nodes": [4, 4], "bytes": [1 << 20, None]}
    assert laneway("show", "bcst", "--nodes", 4, "--ppn", 4).returncode == 2


def test_the_forms_of_a_collective_have_rules_of_their_own(tmp_path):
    path = written(
        tmp_path,
        "bcast use hierarchical\n"
        "ibcast bytes=1K.. use lane with bcast@lane=chain\n"
        "bcast_init use lane_segmented(segment=8K)\n",
    )

    def decided(collective):
        where = ("--bytes", "4K", "--nodes", 4, "--ppn", 4, "--profile", path, "--json")
        rule = json.loads(laneway("show", collective, *where).stdout)
        return rule["collective"], rule["algorithm"], rule["rule"].rpartition(":")[2]

    assert decided("MPI_Bcast") == ("bcast", "hierarchical", "2")
    assert decided("MPI_Ibcast") == ("ibcast", "lane", "3")
    assert decided("MPI_Bcast_init") == ("bcast_init", "lane_segmented", "4")


def test_rules_of_another_binding_do_not_decide(tmp_path, monkeypatch):
    path = written(tmp_path, "bcast binding=lane use hierarchical\nbcast binding=all use chain\n")

    def told(*more):
        where = ("--bytes", "4K", "--nodes", 4, "--ppn", 4, "--profile", path)
        return laneway("show", "bcast", *where, *more).stdout.splitlines()[0]

    assert "on 4 x 4, binding lane: hierarchical" in told("--lanes", 2, "--binding", "lane")
    assert "on 4 x 4, binding all: chain" in told("--lanes", 2)
    assert "native, no rule fits" in told("--lanes", 2, "--binding", "one")
    assert "on 4 x 4: native, no rule fits" in told("--lanes", 1), "it is not known"
    monkeypatch.setenv("UCX_NET_DEVICES", "mlx5_0:1")
    assert "binding one: native, no rule fits" in told("--lanes", 2)


def test_the_nearest_shape_has_the_same_binding(tmp_path):
    path = tmp_path / "tuned.conf"
    path.write_text(
        "laneway profile 1\nshape nodes=4 ppn=4 binding=lane\nelsewhere use\n"
        "bcast nodes=4 ppn=4 binding=lane use hierarchical\n"
    )

    def decided(binding):
        where = ("--bytes", "4K", "--nodes", 8, "--ppn", 4, "--lanes", 2, "--binding", binding)
        told = laneway("show", "bcast", *where, "--profile", path, "--json").stdout
        return json.loads(told)["algorithm"]

    assert (decided("lane"), decided("all")) == ("hierarchical", "native")


def test_the_example_of_a_profile_is_understood():
    said = laneway("check", ROOT / "examples" / "profiles" / "site.conf")
    assert said.returncode == 0, said.stderr
    assert "note" not in said.stderr
