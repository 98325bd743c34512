# SPDX-License-Identifier: BSD-3-Clause
"""Where a profile was tuned, what becomes of it elsewhere, and which profiles are found."""

import json
import os
import subprocess
from pathlib import Path

import pytest

import commands
from jobs import BUILDS, ROOT
from laneway.libraries import native, profile, profile_header
from profiles import laneway, served, written

LANES = {"LANEWAY_LANES": 2}


def this_library(build):
    return f"library {build.library}\n"


@pytest.mark.parametrize("build", BUILDS)
@pytest.mark.parametrize(
    "case",
    [("", "lane", 0), (".9", "native", 1), (".9\nelsewhere use", "lane", 1)],
    ids=("this one", "another, ignored", "another, used"),
)
def test_a_profile_of_another_version_is_told_once(decide, build, tmp_path, case):
    version, name, remarks = case
    path = written(tmp_path, f"library {build.library}{version}\nbcast use lane\n")
    outcome = decide(build, 10, 20, LANEWAY_PROFILE=path)
    assert served(outcome) == {10: name, 20: name}
    lines = [line for line in outcome.errors.splitlines() if "was tuned for" in line]
    assert len(lines) == remarks, outcome.told
    for line in lines:
        assert f"{build.library}.9, and this is {build.library}: its rules are" in line


@pytest.mark.parametrize("build", BUILDS)
def test_profiles_of_other_libraries_are_not_spoken_of(decide, build, tmp_path):
    other = written(tmp_path, "library Another MPI 9.9\nbcast use lane\n", "other.conf")
    older = written(tmp_path, f"library {build.library}.9\nbcast use chain\n", "older.conf")
    own = written(tmp_path, f"{this_library(build)}bcast use hierarchical\n", "own.conf")
    outcome = decide(build, 10, LANEWAY_PROFILE=f"{other}:{own}:{older}")
    assert served(outcome) == {10: "hierarchical"}
    assert "was tuned for" not in outcome.errors, outcome.told


def test_a_line_of_versions(tmp_path):
    build = native.installed()[0]
    family, _, version = build.library.rpartition(" ")
    path = written(tmp_path, f"library {family} {version.split('.')[0]}\nbcast use lane\n")
    words = ["show", "bcast", "--nodes", 2, "--ppn", 2, "--profile", path, "--mpi", build.id]
    assert "lane" in laneway(*words).stdout
    path.write_text(path.read_text().replace(version.split(".")[0], "99"))
    assert "no rule fits" in laneway(*words).stdout


@pytest.mark.parametrize(
    ("nodes", "ppn", "used", "ignored"),
    [(4, 4, "lane", "lane"), (8, 16, "lane", "native"), (1, 4, "native", "native"),
     (8, 1, "native", "native")],
)  # fmt: skip
def test_shapes_that_were_not_measured(tmp_path, nodes, ppn, used, ignored):
    def decided(policy):
        text = f"shape nodes=2..4 ppn=4\nelsewhere {policy}\nbcast nodes=4 ppn=4 use lane\n"
        words = ("--nodes", nodes, "--ppn", ppn, "--profile", written(tmp_path, text), "--json")
        return json.loads(laneway("show", "bcast", *words).stdout)["algorithm"]

    assert (decided("use"), decided("ignore")) == (used, ignored)


@pytest.mark.parametrize(
    ("nodes", "file"), [(2, "2x4"), (4, "4x4"), (16, "16x4"), (3, "4x4"), (8, "16x4"), (64, "16x4")]
)
@pytest.mark.parametrize("together", [False, True], ids=["a file each", "one file"])
def test_of_several_shapes_the_nearest_serves(tmp_path, nodes, file, together):
    """The names of their files do not matter; halfway, the larger one serves."""
    shapes = {"2x4": (2, 11), "4x4": (4, 12), "16x4": (16, 13)}
    heads = {name: f"shape nodes={n} ppn=4\n" for name, (n, _) in shapes.items()}
    rules = {
        name: f"bcast nodes={n} ppn=4 use chain(segment={tag}K)\n"
        for name, (n, tag) in shapes.items()
    }
    texts = {name: f"{heads[name]}elsewhere use\n{rules[name]}" for name in shapes}
    if together:
        texts = {"all": f"{''.join(heads.values())}elsewhere use\n{''.join(rules.values())}"}
    folder = tmp_path / "laneway"
    folder.mkdir()
    for name, text in texts.items():
        (folder / f"{name}.conf").write_text(f"laneway profile 1\n{text}")
    shape = ("--nodes", nodes, "--ppn", 4, "--json")
    said = commands.laneway("profile", "show", "bcast", *shape, XDG_CONFIG_HOME=str(tmp_path))
    assert json.loads(said.stdout)["tunables"]["segment"] == shapes[file][1] << 10


def test_of_rules_that_overlap_the_last_one_decides_at_each_size(tmp_path):
    """At both ends of each range, and beside them; made up, and worked out here by hand."""
    ranges = [(0, 1 << 60), (100, 200), (150, 300), (200, 200), (301, 301), (0, 99), (250, 1 << 20)]
    text = "".join(
        f"bcast bytes={least}..{most} use chain(segment={1000 + number})\n"
        for number, (least, most) in enumerate(ranges[1:], 1)
    )
    profile = written(tmp_path, f"bcast use chain(segment=1000)\n{text}")
    ends = {end for own in ranges[1:] for end in own}
    sizes = sorted({max(0, end + step) for end in ends for step in (-1, 0, 1)})
    for size in sizes:
        words = ("--bytes", size, "--nodes", 4, "--ppn", 4, "--profile", profile, "--json")
        found = json.loads(laneway("show", "bcast", *words).stdout)["tunables"]["segment"]
        assert found == 1000 + max(
            number for number, (least, most) in enumerate(ranges) if least <= size <= most
        ), size


def test_several_nodes_are_never_taken_for_one(tmp_path):
    text = "shape nodes=1 ppn=4\nelsewhere use\nbcast nodes=1 ppn=4 use chain\n"
    words = ("--nodes", 4, "--ppn", 4, "--profile", written(tmp_path, text), "--json")
    assert json.loads(laneway("show", "bcast", *words).stdout)["algorithm"] == "native"


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("bcast use lane\nlibrary Open MPI 4\n", ":3: 'library' stands before the rules"),
        ("elsewhere perhaps\n", ":2: elsewhere: 'perhaps' is neither 'use' nor 'ignore'"),
        ("shape bytes=4\n", ":2: shape: 'bytes' is none of ranks, nodes, ppn, lanes"),
        ("library\n", ":2: library: nothing follows"),
        ("predicted\n", ":2: predicted: nothing follows"),
        ("place\n", ":2: place: nothing follows"),
        ("place real\n", ":2: place: 'real' is neither 'emulated' nor 'virtual'"),
        ("predicted today\n", ":2: predicted: 'today' is no date such as 2026-11-25"),
        ("bcast use lane\npredicted 2026-11-25\n", ":3: 'predicted' stands before the rules"),
        ("shape nodes=4 nodes=5\n", ":2: the condition 'nodes' stands twice"),
        ("place virtual\nplace emulated\n", ":3: 'place' stands twice"),
        ("elsewhere use\nelsewhere ignore\n", ":3: 'elsewhere' stands twice"),
        ("library Open MPI\nlibrary MPICH\n", ":3: 'library' stands twice"),
        ("lanes 2\nlanes 3\n", ":3: 'lanes' stands twice"),
        ("machine\n", ":2: machine: nothing follows; write: machine hydra.toml"),
        ("native\n", ":2: native: nothing follows"),
        ("margin 0.9\n", ":2: margin: '0.9' is no number from 1 on"),
        ("margin 1.x\n", ":2: margin: '1.x' is no number from 1 on"),
        ("simulated bcast broadcast\n", ":2: no collective 'broadcast'; known: bcast"),
        ("simulated bcast bcast\n", ":2: the collective 'bcast' stands twice"),
        ("tuned today\n", ":2: tuned: 'today' is no date such as 2026-11-25"),
        ("measured 2026-02-30\n", ":2: measured: '2026-02-30' is no date"),
        ("quirks mpich\n", ":2: quirks are those of MPICH or Open MPI, not of 'mpich'"),
        ("bcast use lane\nmachine hydra.toml\n", ":3: 'machine' stands before the rules"),
        ("undecided broadcast\n", ":2: no collective 'broadcast'"),
        ("undecided bcast nodes=x\n", ":2: nodes: 'x'"),
        ("undecided bcast use lane\n", ":2: undecided: conditions alone follow the collective"),
        ("bcast inferred= use lane\n", ":2: inferred: no machine follows '='"),
        ("bcast inferred inferred use lane\n", ":2: the condition 'inferred' stands twice"),
    ],
)
def test_damaged_headers(tmp_path, text, complaint):
    said = laneway("check", written(tmp_path, text))
    assert said.returncode == 1
    assert complaint in said.stderr


@pytest.mark.parametrize("place", ["emulated", "virtual"])
def test_a_profile_of_nodes_that_are_no_real_ones_holds_on_such_alone(tmp_path, place):
    build = native.find()
    path = written(tmp_path, f"place {place}\nlanes 7\nbcast lanes=7 use chain\n")
    here = {"virtual": {"LANEWAY_NODE_SIZE": "2"}, "emulated": {"LANEWAY_EMULATED": "1"}, "": {}}
    found = {
        name: profile.show(build, profile.CommunicatorShape(2, 2), "bcast", "64K",
                           {**os.environ, "LANEWAY_PROFILE": str(path), **variables})["algorithm"]
        for name, variables in here.items()
    }  # fmt: skip
    assert found == {name: "chain" if name == place else "native" for name in here}
    assert "1 rule" in laneway("check", path).stderr


def test_exec_announces_a_profile_of_emulated_nodes_for_programs_on_such_alone(tmp_path):
    (tmp_path / "laneway.d").mkdir()
    folder = tmp_path / "laneway"
    folder.mkdir()
    path = written(folder, "place emulated\nbcast use lane\n")
    command = tmp_path / "laneway.d" / "laneway"
    command.write_text("#!/bin/sh\n")
    command.chmod(0o755)
    home = {"XDG_CONFIG_HOME": str(tmp_path), "PATH": f"{command.parent}:{os.environ['PATH']}"}
    for words, told in ((["true"], False), (["laneway", "cluster", "run", "--", "app"], True)):
        said = commands.process("exec", "--", *words, **home)
        assert said.returncode == 0, said.stderr
        assert (str(path) in said.stderr) == told, said.stderr


# ---- profiles that are found -------------------------------------------------------------------


@pytest.mark.parametrize("build", BUILDS)
def test_another_version_is_told_beside_what_laneway_brings(decide, build, tmp_path):
    path = written(tmp_path, f"library {build.library}.9\nbcast use lane\n")
    outcome = decide(build, 1 << 20, LANEWAY_PROFILE=path, LANEWAY_DEFAULT="on", **LANES)
    assert served(outcome) == {1 << 20: "lane_segmented"}
    assert outcome.errors.count("was tuned for") == 1, outcome.told


def test_lanes_of_a_profile_for_another_library_do_not_count(tmp_path):
    path = written(tmp_path, "library Another 1.1\nlanes 7\nbcast use lane\n", "other.conf")
    own = written(tmp_path, "bcast lanes=1 use chain\nbcast lanes=7 use hierarchical\n")
    words = ("--nodes", 2, "--ppn", 2, "--profile", path, "--profile", own, "--json")
    assert json.loads(laneway("show", "bcast", *words).stdout)["algorithm"] == "chain"


def test_what_editors_leave_behind_is_no_profile(tmp_path):
    folder = tmp_path / "laneway"
    folder.mkdir()
    written(folder, "bcast use lane\n", "mine.conf")
    (folder / ".#mine.conf").symlink_to("nobody@nowhere")
    (folder / "gone.conf").symlink_to("nowhere")
    shape = ("--nodes", 2, "--ppn", 2)
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("LANEWAY_PROFILE_DIR", raising=False)
        said = commands.laneway("profile", "show", "bcast", *shape, XDG_CONFIG_HOME=str(tmp_path))
    assert "lane" in said.stdout, said.stderr


@pytest.mark.parametrize("build", BUILDS)
def test_a_users_own_profiles_are_found(decide, build, tmp_path):
    folder = tmp_path / "laneway"
    folder.mkdir()
    written(folder, "bcast use lane\n", "mine.conf")
    own = {"XDG_CONFIG_HOME": tmp_path}
    found = decide(build, 10, LANEWAY_PROFILE_DIR=None, **own)
    assert served(found) == {10: "lane"}
    assert served(decide(build, 10, **own)) == {10: "native"}  # LANEWAY_PROFILE_DIR says: none
    named = decide(build, 10, LANEWAY_PROFILE_DIR=None, LANEWAY_PROFILE=folder / "mine.conf", **own)
    assert served(named) == {10: "lane"}, "one that is found anyway may be named"


@pytest.mark.parametrize("build", BUILDS)
def test_what_holds_where_nobody_has_tuned(decide, build):
    default = {"LANEWAY_DEFAULT": "on"}
    assert served(decide(build, 1 << 20, **default, **LANES)) == {1 << 20: "lane_segmented"}
    assert served(decide(build, 1 << 20, **default)) == {1 << 20: "native"}, "lanes are not known"
    assert served(decide(build, 1 << 20, LANEWAY_DEFAULT="off", **LANES)) == {1 << 20: "native"}


def predicted(home, text, name="predicted.conf"):
    folder = home / "laneway" / "predicted"
    folder.mkdir(parents=True, exist_ok=True)
    return written(folder, f"predicted 2026-11-25\n{text}", name)


@pytest.mark.parametrize("build", BUILDS)
def test_what_was_predicted_holds_where_nobody_has_tuned(decide, build, tmp_path):
    """After what Laneway brings, before the site's and the user's."""
    long = 1 << 20
    predicted(tmp_path, f"{this_library(build)}bcast bytes=..4K use chain\n")
    home = {"XDG_CONFIG_HOME": tmp_path, "LANEWAY_DEFAULT": "on", "LANEWAY_PROFILE_DIR": None}
    assert served(decide(build, 10, long, **home)) == {10: "chain", long: "native"}
    beside_built_in = decide(build, 10, long, **home, **LANES)
    assert served(beside_built_in) == {10: "chain", long: "lane_segmented"}
    off = {**home, "LANEWAY_DEFAULT": "off"}
    assert served(decide(build, 10, **off)) == {10: "native"}
    none = {**home, "LANEWAY_PROFILE_DIR": ""}
    assert served(decide(build, 10, **none)) == {10: "native"}, "another folder in place of all"

    site = tmp_path / "site"
    site.mkdir()
    written(site, "bcast use binomial\n", "site.conf")
    assert served(decide(build, 10, **{**home, "LANEWAY_PROFILE_DIR": site})) == {10: "binomial"}
    written(tmp_path / "laneway", "bcast use binary\n", "a.conf")
    assert served(decide(build, 10, **home)) == {10: "binary"}, "whatever its name"
    named = written(tmp_path, "bcast use linear\n", "named.conf")
    assert served(decide(build, 10, **home, LANEWAY_PROFILE=named)) == {10: "linear"}


@pytest.mark.parametrize("build", BUILDS)
def test_what_was_predicted_for_another_version_is_left_out(decide, build, tmp_path):
    predicted(tmp_path, f"library {build.library}.9\nbcast use chain\n")
    home = {"XDG_CONFIG_HOME": tmp_path, "LANEWAY_DEFAULT": "on", "LANEWAY_PROFILE_DIR": None}
    outcome = decide(build, 10, **home)
    assert served(outcome) == {10: "native"}
    assert f"was predicted for {build.library}.9, and this is {build.library}" in outcome.errors
    assert "`laneway calibrate` makes a new one" in outcome.errors


def test_a_prediction_does_not_silence_what_becomes_of_tuned_profiles(tmp_path):
    """One for this version does silence predictions for others."""
    build = native.installed()[0]
    older = f"library {build.library}.9\n"
    predicted(tmp_path, f"{this_library(build)}bcast use chain\n", "a.conf")
    predicted(tmp_path, f"{older}bcast use chain\n", "b.conf")
    assert remarks(build, tmp_path) == []
    tuned = written(tmp_path / "laneway", f"{older}bcast use lane\n", "tuned.conf")
    (told,) = remarks(build, tmp_path)
    assert told.startswith(f"{tuned} was tuned for {build.library}.9")
    written(tmp_path / "laneway", f"{this_library(build)}bcast use lane\n", "new.conf")
    assert remarks(build, tmp_path) == []


def at_home(home, **variables):
    """The environment of somebody whose folder of profiles that is."""
    environment = {name: text for name, text in os.environ.items()
                   if name not in ("LANEWAY_PROFILE_DIR", "LANEWAY_LANES")}  # fmt: skip
    return {**environment, "XDG_CONFIG_HOME": str(home), "LANEWAY_DEFAULT": "on", **variables}


def used(build, home):
    return profile.used(build, at_home(home))


def remarks(build, home):
    return [fact["remark"] for fact in used(build, home) if "remark" in fact]


DAMAGE = {
    "a rule": ("bcast use chain\nbcast use nothing\n", ":4: no bcast algorithm 'nothing'"),
    "the header": ("lanes 2\npredicted 2026-11-25\n", ":4: 'predicted' stands before 'lanes'"),
    "no text": ("\0", ":3: not text"),
}


@pytest.mark.parametrize("build", BUILDS)
@pytest.mark.parametrize("damage", DAMAGE)
def test_of_a_damaged_prediction_nothing_holds_and_all_else_does(decide, build, tmp_path, damage):
    text, complaint = DAMAGE[damage]
    path = predicted(tmp_path, text)
    predicted(tmp_path, "allreduce use lane\n", "zz.conf")
    written(tmp_path / "laneway", "bcast bytes=1K.. use lane\n", "mine.conf")
    home = {"XDG_CONFIG_HOME": tmp_path, "LANEWAY_DEFAULT": "on", "LANEWAY_PROFILE_DIR": None}
    outcome = decide(build, 10, 2000, **home, LANEWAY_STRICT=1)
    assert served(outcome) == {10: "native", 2000: "lane"}
    (line,) = (line for line in outcome.errors.splitlines() if str(path) in line)
    assert f"{path}{complaint}" in line
    assert line.endswith("what is said there is left out")
    facts = used(build, tmp_path)
    assert {Path(fact["file"]).name for fact in facts if "file" in fact} == {"zz.conf", "mine.conf"}


def test_predictions_that_cannot_be_read_are_left_out(tmp_path):
    build = native.installed()[0]
    path = predicted(tmp_path, "bcast use chain\n")
    (path.parent / "folder.conf").mkdir()
    predicted(tmp_path, "bcast use lane\n", "z.conf")
    (told,) = remarks(build, tmp_path)
    assert "is a directory, not a profile: what is said there is left out" in told
    (path.parent / "loop.conf").symlink_to("loop.conf")
    (told,) = remarks(build, tmp_path)
    assert "cannot be read: Too many levels of symbolic links" in told
    assert not [fact for fact in used(build, tmp_path) if "file" in fact]


def test_a_link_in_a_circle_is_told(tmp_path):
    (tmp_path / "loop.conf").symlink_to("loop.conf")
    words = ("profile", "show", "bcast", "--nodes", 2, "--ppn", 2)
    said = commands.laneway(*words, LANEWAY_PROFILE_DIR=str(tmp_path))
    assert said.returncode == 2
    assert "LANEWAY_PROFILE_DIR: '" in said.stderr
    assert "cannot be read: Too many levels of symbolic links" in said.stderr


def lanes(build, home, **variables):
    """The number of lanes of a node, as a rule for each number shows."""
    text = "".join(f"bcast lanes={n} use chain(segment={n}K)\n" for n in range(1, 10))
    path = written(home, text, "lanes.conf")
    settings = at_home(home, LANEWAY_PROFILE=str(path), **variables)
    found = profile.show(build, profile.CommunicatorShape(2, 2), "bcast", "4", settings)
    return found["tunables"]["segment"] >> 10


def test_lanes_of_a_prediction_count_where_nothing_else_knows(tmp_path):
    build = native.installed()[0]
    assert lanes(build, tmp_path) == 1
    predicted(tmp_path, "lanes 3\n", "a.conf")
    assert lanes(build, tmp_path) == 3
    predicted(tmp_path, "lanes 3\nbcast use lane\n", "b.conf")
    assert lanes(build, tmp_path) == 3, "predictions agree"
    predicted(tmp_path, "library Another 1.1\nlanes 7\n", "c.conf")
    assert lanes(build, tmp_path) == 3, "of another library"
    assert lanes(build, tmp_path, LANEWAY_LANES="2") == 2
    predicted(tmp_path, "lanes 4\n", "d.conf")
    assert lanes(build, tmp_path) == 1, "predictions disagree"
    predicted(tmp_path, "lanes 3\n", "e.conf")
    assert lanes(build, tmp_path) == 1, "and still do"
    written(tmp_path / "laneway", "lanes 5\n", "mine.conf")
    assert lanes(build, tmp_path) == 5, "what the user wrote"
    assert lanes(build, tmp_path, LANEWAY_LANES="2") == 2


def weights(home, **variables):
    """The weights of a node's lanes that count."""
    build = native.installed()[0]
    told = [fact["weights"] for fact in profile.used(build, at_home(home, **variables))
            if "weights" in fact]  # fmt: skip
    return told[0] if told else None


def test_weights_of_lanes_are_those_said_last_for_as_many_lanes(tmp_path):
    assert weights(tmp_path) is None
    predicted(tmp_path, "lanes 2 weights 5:1\n", "a.conf")
    assert weights(tmp_path) == [5, 1]
    written(tmp_path / "laneway", "lanes 2 weights 2:1\n", "a.conf")
    assert weights(tmp_path) == [2, 1], "what the user wrote"
    assert weights(tmp_path, LANEWAY_LANES="2") == [2, 1]
    assert weights(tmp_path, LANEWAY_LANES="3") is None, "they are of other lanes"
    assert weights(tmp_path, LANEWAY_LANE_WEIGHTS="1:0:7") == [1, 0, 7]
    assert lanes(native.installed()[0], tmp_path, LANEWAY_LANE_WEIGHTS="1:0:7") == 3
    written(tmp_path / "laneway", "lanes 2\n", "b.conf")
    assert weights(tmp_path) == [5, 1], "nobody but the prediction says any more"
    predicted(tmp_path, "lanes 2 weights 3:1\n", "b.conf")
    assert weights(tmp_path) is None, "predictions disagree"
    assert lanes(native.installed()[0], tmp_path) == 2, "but not about their number"


def test_nodes_may_have_weights_of_their_own(tmp_path):
    (tmp_path / "laneway").mkdir()
    written(tmp_path / "laneway", "lanes 2 weights 10:10,node2=10:1\n", "a.conf")
    (fact,) = [
        fact for fact in profile.used(native.installed()[0], at_home(tmp_path)) if "weights" in fact
    ]
    assert fact == {"weights": [10, 10], "of_nodes": {"node2": [10, 1]}}
    said = {"LANEWAY_LANE_WEIGHTS": "3:3:3,a=3:2:1,b=0:0:1"}
    assert weights(tmp_path, **said) == [3, 3, 3]
    assert lanes(native.installed()[0], tmp_path, **said) == 3


def with_ports(ports):
    """Words of a shell after which so many ports of a fabric are up."""
    return "mount -t tmpfs none /sys/class\n" + "".join(
        f"mkdir -p {port}; echo '4: ACTIVE' > {port}/state; echo '100 Gb/sec' > {port}/rate\n"
        for port in (f"/sys/class/infiniband/mlx5_{n}/ports/1" for n in range(ports))
    )


@pytest.mark.skipif(os.geteuid() != 0, reason="devices can be put into /sys by root alone")
def test_lanes_of_devices_go_before_those_of_a_prediction(tmp_path):
    predicted(tmp_path, "lanes 3\n")
    text = "".join(f"bcast lanes={n} use chain(segment={n}K)\n" for n in range(1, 4))
    path = written(tmp_path, text, "lanes.conf")
    ask = f"{native.find(None).folder}/bin/laneway-profile show 4 2 2 2 0 bcast 4"
    said = subprocess.run(
        ["unshare", "--mount", "sh", "-e", "-c", with_ports(2) + ask],
        env=at_home(tmp_path, LANEWAY_PROFILE=str(path)),
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(said.stdout)["tunables"]["segment"] == 2 << 10


@pytest.mark.skipif(os.geteuid() != 0, reason="devices can be put into /sys by root alone")
@pytest.mark.parametrize("ports", [1, 2])
def test_lanes_are_counted_from_devices(ports):
    """Ports of a fabric that are up; what variables say goes before."""
    files = with_ports(ports)
    ask = f"{native.find(None).folder}/bin/laneway-profile used"

    def facts(**variables):
        environment = {**os.environ, "LANEWAY_DEFAULT": "on", "LANEWAY_PROFILE_DIR": ""}
        said = subprocess.run(
            ["unshare", "--mount", "sh", "-e", "-c", files + ask],
            env=environment | variables,
            capture_output=True,
            text=True,
            check=True,
        )
        return [json.loads(line) for line in said.stdout.splitlines()]

    lanes, *profiles = facts()
    found = ", ".join(f"mlx5_{n}:1" for n in range(ports))
    binding = "all" if ports > 1 else "unknown"
    assert lanes == {"lanes": ports, "found": found, "binding": binding}
    assert facts(UCX_NET_DEVICES="mlx5_0:1")[0]["binding"] == "one"
    assert len(profiles) == (1 if ports > 1 else 0)
    assert facts(LANEWAY_LANES="1") == facts(LANEWAY_NODE_SIZE="2") == []


@pytest.mark.parametrize(
    ("statement", "comment"),
    [
        ("quirks MPICH", "# quirks: MPICH"),
        ("stand-in MPICH 3.3's rules", "# stand-in: MPICH 3.3's rules"),
        ("machine /a b/mine.toml", "# machine: /a b/mine.toml"),
        ("machine /c%23/50%25.toml  # mine", "# machine: /c#/50%.toml"),
        ("native openmpi-4.1", "# native: what openmpi-4.1 chooses by its native profile"),
        ("margin 1.25", "# 1.25 times as fast as native; it chooses that, or what would serve"),
        ("simulated barrier bcast", "# simulated: barrier, bcast; 4 B to 4 MiB, int"),
        ("tuned 2026-11-20", "# 2026-11-20T10:00:00+00:00: laneway tune bcast"),
        ("measured 2026-11-20", "# 2026-11-20T10:00:00+00:00: laneway compare bcast"),
    ],
)
def test_comments_of_before_say_what_statements_say(tmp_path, statement, comment):
    new = written(tmp_path, f"{statement}\nbcast use lane\n")
    told = profile_header.header(new.read_text())
    assert profile_header.header(f"laneway profile 1\n{comment}\nbcast use lane\n") == told
    said = laneway("check", new)
    assert said.returncode == 0, said.stderr
    word, value = next(iter(told.items()))
    assert f"{new}: {word} {value}\n" in said.stderr
    fact = json.loads(laneway("check", "--json", new).stdout.splitlines()[0])
    assert fact == {"file": str(new), "header": told}


def test_a_statement_goes_before_the_comment_of_before():
    text = "measured 2026-11-21\n# 2026-11-20T10:00:00+00:00: laneway tune bcast\n# machine: a\n"
    assert profile_header.header(text) == {"measured": "2026-11-21", "machine": "a"}


def test_check_shows_what_is_inferred_and_lets_stand_what_is_undecided(tmp_path):
    rules = "bcast inferred=hydra use lane\nscan inferred use linear\n"
    path = written(tmp_path, f"undecided scan nodes=4 bytes=..3\n{rules}")
    said = laneway("check", path)
    assert "inferred" in said.stdout
    assert "; inferred from times of hydra" in laneway("check", "--markdown", path).stdout
    assert "2 rules in 1 file: understood" in said.stderr


@pytest.mark.parametrize("name", ["open-mpi-4.conf", "mpich-4.conf"])
def test_default_profiles_are_understood_and_their_reasons_told(name):
    path = ROOT / "packaging" / "profiles" / name
    said = laneway("check", path)
    assert said.returncode == 0, said.stderr
    assert "note" not in said.stderr
    header, *facts = map(json.loads, laneway("check", "--json", path).stdout.splitlines())
    assert header["header"].keys() == {"library"}
    places = [fact["where"].keys() - {"bytes"} for fact in facts]
    assert all(each in ({"nodes", "ppn", "lanes"}, {"nodes", "ppn", "cores"}) for each in places)


def test_a_choice_is_explained(tmp_path):
    path = written(
        tmp_path,
        "# of Monday\n\n# 1024 bytes: 2.00 times as fast as native\n"
        "# 4096 bytes: 3.00 times as fast as native; next chain, 1.20 times as long\n"
        "bcast bytes=1K..4K use lane\n",
    )
    words = ["explain", "choice", "bcast", "--nodes", 4, "--ppn", 4, "--profile", path]
    said = commands.laneway(*words, "--bytes", "4K").stdout.splitlines()
    assert said == [
        "bcast of 4K bytes on 4 x 4: lane(whole=2048)",
        f"by {path}:6",
        "  4096 bytes: 3.00 times as fast as native; next chain, 1.20 times as long",
    ]
    both = json.loads(commands.laneway(*words, "--bytes", "2K", "--json").stdout)["reasons"]
    assert [each.split(" ")[0] for each in both] == ["1024", "4096"]
    in_markdown = commands.laneway(*words, "--bytes", "1K", "--markdown").stdout
    assert "| bcast | bytes=1024..4096 | lane(whole=2048) |" in in_markdown
    assert "| 1024 bytes: 2.00 times as fast as native |" in in_markdown
    assert "no rule fits" in commands.laneway(*words, "--bytes", "8K").stdout
    assert "'much' is no size" in commands.laneway(*words, "--bytes", "much").stderr


@pytest.mark.parametrize("command", [("explain", "choice"), ("profile", "show")])
def test_a_choice_is_also_told_for_lanes_that_nobody_has_named(tmp_path, command):
    words = (*command, "bcast", "--nodes", 4, "--ppn", 4, "--bytes", "1M")
    home = {"XDG_CONFIG_HOME": str(tmp_path), "LANEWAY_DEFAULT": ""}
    native, hint = commands.laneway(*words, **home).stdout.splitlines()
    assert native.endswith(": native, no rule fits")
    assert hint.startswith("on nodes with 2 lanes or more: lane")
    assert hint.endswith("; say --lanes N")
    for said in (
        commands.laneway(*words, "--lanes", 1, **home),
        commands.laneway(*words, LANEWAY_LANES="1", **home),
        commands.laneway(*words, **{**home, "LANEWAY_DEFAULT": "off"}),
        commands.laneway(*words[:-2], "--bytes", 1, **home),
    ):
        assert "lanes or more" not in said.stdout
