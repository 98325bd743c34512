# SPDX-License-Identifier: BSD-3-Clause
"""Predicted profiles: who wins where, the file that says so, and that jobs use it."""

import json
import os
import stat

import pytest

from applications import reported
from commands import NO_ROOM, laneway, process, room_for
from jobs import BUILDS
from laneway import files
from laneway.commands.shared import predictions
from laneway.libraries import native as builds
from laneway.libraries import profile
from laneway.libraries.native import NativeBuild
from laneway.libraries.profile import CommunicatorShape
from laneway.simulation import forecasts, machine, native
from laneway.simulation.forecasts import Scene
from laneway.simulation.wins import whole, wins
from laneway.tuning import predicted
from laneway.tuning.predicted import PredictedProfile
from profiles import forecast

# ---- the profile ---------------------------------------------------------------------------------

GOLDEN = """\
laneway profile 1
# Predicted by laneway, not measured: `laneway calibrate`, `laneway profile predict`
# write it anew unless somebody has changed it. `laneway tune` measures instead.
# A rule holds where the simulated clock has an algorithm at least
# 1.25 times as fast as native; it chooses that, or what would serve
# otherwise if that takes at most 1.20 times as long. Or it says native,
# where what would serve otherwise takes 1.20 times as long. Other
# profiles decide on all else.
#
# Simulated are messages of 4 B to 4 MiB (of all blocks, where
# there are some), int; what native does, by its native profile.
library Open MPI 4.1.4
shape nodes=4 ppn=4 lanes=2
predicted 2026-11-25
machine mine.toml
native openmpi-4.1
margin 1.25
simulated barrier bcast
elsewhere ignore
lanes 2

# 0 bytes: predicted 2.00 times as fast as native (50.0 us, native 100.0 us)
barrier    nodes=4 ppn=4 lanes=2  use hierarchical

# 4 bytes: predicted 5.00 times as fast as native (20.0 us, native 100.0 us); \
next chain, 1.50 times as long
bcast      nodes=4 ppn=4 lanes=2 bytes=4..5  use lane

# 8 bytes: native is predicted to take 100.0 us; chain, which would serve, 1.25 times as long
bcast      nodes=4 ppn=4 lanes=2 bytes=6..8  use native
"""


STATEMENTS = "machine mine.toml\nnative openmpi-4.1\nmargin 1.25\nsimulated barrier bcast\n"
COMMENTS = """\
# machine: mine.toml
# native: what openmpi-4.1 chooses by its native profile
# simulated: barrier, bcast; 4 B to 4 MiB (of all blocks, where there are some), int
library"""


def as_comments(text):
    """A prediction as it was when comments told what statements tell."""
    own = text.rpartition(files.SEAL)[0].replace(STATEMENTS, "").replace("library", COMMENTS, 1)
    return files.sealed(own)


def prediction(**changed):
    own = [forecast(4, lane=20, chain=30), forecast(8, standing="chain", chain=125)]
    facts = {
        "build": "openmpi-4.1",
        "library": "Open MPI 4.1.4",
        "shape": CommunicatorShape(4, 4, 2),
        "machine": "mine.toml",
        "native": "openmpi-4.1",
        "margin": 1.25,
        "date": "2026-11-25",
        "wins": {"barrier": wins([forecast(0, hierarchical=50)]), "bcast": wins(own)},
    }
    return PredictedProfile(**{**facts, **changed})


def test_the_text_of_a_prediction():
    text = prediction().text()
    assert text.rpartition(files.SEAL)[0] == GOLDEN
    assert files.is_unchanged(text)
    assert prediction().rules == 3
    assert prediction().path.name == "openmpi-4.1-4x4-2-lanes.conf"


def test_a_rule_that_cannot_ask_for_bytes_has_none():
    own = whole([forecast(4, lane=20), forecast(8, lane=50)])
    text = prediction(wins={"gatherv": own}, layouts=("equal", "ramp")).text()
    assert "\ngatherv    nodes=4 ppn=4 lanes=2  use lane\n" in text
    assert "\n# Blocks of vector collectives: equal, ramp; the worst counts.\n" in text


def test_sizes_are_those_of_blocks_where_there_are_some():
    assert predicted.sizes("barrier", 16) == [0]
    assert predicted.sizes("bcast", 16)[:3] == [4, 8, 16]
    assert predicted.sizes("bcast", 16)[-1] == 4 << 20
    assert predicted.sizes("alltoall", 16)[-1] == 256 << 10
    assert predicted.sizes("alltoall", 1 << 22) == []
    assert predicted.sizes("bcast", 65)[:3] == [4, 16, 64]
    assert predicted.sizes("bcast", 1152) == [4, 64, 1 << 10, 1 << 14, 1 << 18, 1 << 22]


@pytest.mark.skipif(not builds.installed(), reason="no native build is installed")
def test_the_library_reads_it_and_tells_why(tmp_path):
    path = tmp_path / "p.conf"
    path.write_text(prediction(library="").text().replace("library \n", ""))
    build = builds.installed()[0]
    facts = profile.check(build, [path])
    assert not [fact for fact in facts if "error" in fact]
    words = ("explain", "choice", "bcast", "--bytes", 4, "--nodes", 4, "--ppn", 4)
    said = laneway(*words, "--profile", path, LANEWAY_PROFILE_DIR="").stdout
    assert "predicted 5.00 times as fast as native (20.0 us, native 100.0 us)" in said


def test_a_file_that_somebody_has_changed_is_left_as_it_is(tmp_path, capsys):
    path = tmp_path / "p.conf"
    predictions.write(prediction(), path)
    assert "3 rules, 2 of which choose another algorithm than native" in capsys.readouterr().err
    predictions.write(prediction(date="2026-11-26"), path)  # ours may be written anew
    path.write_text(path.read_text() + "bcast use lane\n")
    text = path.read_text()
    with pytest.raises(files.Misuse, match="was changed by somebody"):
        predictions.write(prediction(), path)
    assert path.read_text() == text


# ---- the command ---------------------------------------------------------------------------------

MACHINE = """\
# Calibrated by `laneway calibrate` on 2026-11-25: Open MPI 4.1.4,
# host; 2 nodes x 2 ranks,
name = "mine"
[lanes]
number = 2
bandwidth = "100 MB/s"
latency = "50 us"
[node]
bandwidth = "5 GB/s"
latency = "1 us"
[process]
send = "1 us"
receive = "1 us"
"""


@pytest.fixture
def home(tmp_path):
    folder = tmp_path / "laneway" / "machines"
    folder.mkdir(parents=True)
    (folder / "mine.toml").write_text(files.sealed(MACHINE))
    return tmp_path


def predict(home, *words, **environment):
    return laneway("profile", "predict", *words, XDG_CONFIG_HOME=str(home), **environment)


@pytest.mark.parametrize("build", BUILDS)
def test_a_prediction_is_found_by_jobs(decide, build, home):
    """It is that of the machine that was calibrated last, for its shape; the same twice."""
    ran = predict(home, "bcast", "barrier", "--mpi", build.id)
    assert ran.returncode == 0, ran.stderr
    path = home / "laneway" / "predicted" / f"{build.id}-2x2-2-lanes.conf"
    assert str(path) in ran.stderr
    text = path.read_text()
    assert files.is_unchanged(text)
    assert f"library {build.library}\nshape nodes=2 ppn=2 lanes=2\n" in text
    long = [
        rule for rule in rules_of(build, path) if rule["where"].get("bytes", [0, 0])[1] >= 1 << 20
    ]
    assert long, text
    assert predict(home, "bcast", "barrier", "--mpi", build.id).returncode == 0
    assert timeless(path.read_text()) == timeless(text)

    size = 1 << 20
    settings = {"XDG_CONFIG_HOME": home, "LANEWAY_DEFAULT": "on", "LANEWAY_PROFILE_DIR": None}
    outcome = decide(build, size, **settings)
    assert outcome.code == 0, outcome.told
    assert f"{size} by {long[-1]['algorithm']}" in outcome.output, outcome.told
    words = ("explain", "choice", "bcast", "--bytes", "1M", "--nodes", 2, "--ppn", 2, "--json")
    told = laneway(*words, "--mpi", build.id, XDG_CONFIG_HOME=str(home), LANEWAY_DEFAULT="on")
    (choice,) = map(json.loads, told.stdout.splitlines())
    assert choice["rule"].startswith(str(path))
    assert choice["reasons"][0].startswith(f"{size} bytes: predicted ")


@pytest.mark.parametrize("build", BUILDS)
def test_exec_uses_a_prediction_and_says_so(application, build, home):
    """Two ranks on a node each gain little: what is no slower than native serves here."""
    ran = predict(home, "bcast", "--nodes", 2, "--ppn", 1, "--margin", 1, "--mpi", build.id)
    assert ran.returncode == 0, ran.stderr
    path = home / "laneway" / "predicted" / f"{build.id}-2x1-2-lanes.conf"
    root = ["--allow-run-as-root", "--oversubscribe"] if build.family == "openmpi" else []
    settings = {"XDG_CONFIG_HOME": str(home), "LANEWAY_DEFAULT": "on"}
    if build.family == "mpich":
        settings["LD_PRELOAD"] = str(build.yielding)
    for switch in ("on", "off"):
        report = home / f"report-{switch}"
        said = process("exec", "--node-size", 1, "--lanes", 2, "--report", "--out", report, "--",
                       build.mpiexec, *root, "-np", 2, application,
                       **{**settings, "LANEWAY_DEFAULT": switch})  # fmt: skip
        assert said.returncode == 0, said.stderr
        assert said.stdout == "right\n"
        served = {name for name, algorithm in reported(report) if algorithm != "native"}
        assert served == ({"bcast"} if switch == "on" else set())
        announced = f"profile {path}, {len(rules_of(build, path))} rule"
        assert ("for mine" in said.stderr) == (switch == "on")
        assert (announced in said.stderr) == (switch == "on"), said.stderr
        assert ("`laneway tune` does better" in said.stderr) == (switch == "on")


def timeless(text):
    """A profile without the day on which it was written, and its digest."""
    return [line for line in text.splitlines() if not line.startswith(("predicted ", files.SEAL))]


def rules_of(build, path):
    return [fact for fact in profile.check(build, [path]) if "rule" in fact]


@pytest.mark.skipif(not builds.installed(), reason="no native build is installed")
def test_a_prediction_for_another_shape_and_machine(home):
    words = ("bcast", "--machine", "hydra", "--nodes", 3, "--ppn", 2, "--lanes", 1, "--margin", 2)
    ran = predict(home, *words, "--output", "-")
    assert ran.returncode == 0, ran.stderr
    assert "shape nodes=3 ppn=2 lanes=1\n" in ran.stdout
    assert "at least\n# 2.00 times as fast" in ran.stdout
    assert not (home / "laneway" / "predicted").exists()
    named = predict(home, "bcast", "--output", home / "own.conf")
    assert f"laneway exec --profile {home / 'own.conf'}" in named.stderr


@pytest.mark.skipif(not builds.installed(), reason="no native build is installed")
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["bcast", "--machine", "nowhere"], "no machine 'nowhere'; known: emulated"),
        (["bcast", "--native", "nothing"], "no native profile 'nothing'; known: "),
        (["nothing"], "nothing"),
        (["bcast", "--nodes", "1"], "--nodes"),
        (["bcast", "--margin", "0.5"], "--margin"),
    ],
    ids=lambda words: " ".join(words) if isinstance(words, list) else "",
)
def test_bad_input(words, said, home):
    ran = predict(home, *words)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert said in ran.stderr
    assert not (home / "laneway" / "predicted").exists()


@pytest.mark.skipif(not builds.installed(), reason="no native build is installed")
def test_without_a_calibrated_machine(tmp_path):
    ran = predict(tmp_path, "bcast")
    assert (ran.returncode, ran.stdout) == (2, "")
    assert "run `laneway calibrate`" in ran.stderr


@pytest.mark.skipif(not builds.installed(), reason="no native build is installed")
def test_no_room_for_a_prediction(home):
    (home / "laneway" / "predicted").mkdir()
    with room_for(64):
        ran = predict(home, "barrier")
    assert ran.returncode == 1
    assert NO_ROOM in ran.stderr
    assert [*(home / "laneway" / "predicted").iterdir()] == []


@pytest.mark.skipif(not builds.installed(), reason="no native build is installed")
@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_cannot_be_written_to(home):
    folder = home / "laneway" / "predicted"
    folder.mkdir()
    folder.chmod(stat.S_IRUSR | stat.S_IXUSR)
    ran = predict(home, "barrier")
    assert ran.returncode == 1
    assert f"cannot write {folder}" in ran.stderr


def rewritten(home, *changes):
    """The machine, with some of its text changed, as if `laneway calibrate` had written it so."""
    path = home / "laneway" / "machines" / "mine.toml"
    text = MACHINE
    for before, after in changes:
        assert before in text
        text = text.replace(before, after, 1)
    path.write_text(files.sealed(text))
    return path


def off(percent):
    return (
        'receive = "1 us"',
        f'receive = "1 us"\n[fit.lanes]\nbandwidth = {float(percent) / 100}',
    )


def off_by_comment(percent):
    """The line as it was told before there was a table [fit]."""
    return ("bandwidth", f"# between: slope, residual {percent}%\nbandwidth")


@pytest.mark.skipif(not builds.installed(), reason="no native build is installed")
def test_a_machine_that_was_too_busy_is_not_predicted(home, capsys, monkeypatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home))
    build = builds.installed()[0]
    earlier = prediction(build=build.id).path
    files.replace(earlier, prediction(build=build.id).text())
    path = rewritten(home, off("30.1"))
    predictions.predict_calibrated(build, path, 2, 2)
    said = capsys.readouterr().err
    assert f"no profile is predicted: [lanes] bandwidth of {path} is off" in said
    assert f"earlier predictions stay in force: {earlier}" in said
    assert [*earlier.parent.iterdir()] == [earlier]
    assert "these predictions may be wrong" in predict(home, "barrier", "--output", "-").stderr


LANES_BANDWIDTH = ('bandwidth = "100 MB/s"\n', "")
NODE_BANDWIDTH = ('bandwidth = "5 GB/s"\n', "")
BY_HAND = ("2 nodes x 2 ranks", "some nodes")
FIT = ('receive = "1 us"', 'receive = "1 us"\n[fit]\nnodes = 2\nprocesses = 2')
ALONE = ("2 nodes x 2 ranks", "2 nodes x 1 rank")


@pytest.mark.parametrize(
    ("changes", "ppn", "why"),
    [
        ([], 2, ""),
        ([off("29.9")], 2, ""),
        ([off("30.1")], 2, "[lanes] bandwidth of "),
        ([off("nan")], 2, "[lanes] bandwidth of "),
        ([off("inf")], 2, "[lanes] bandwidth of "),
        ([off_by_comment("29.9")], 2, ""),
        ([off_by_comment("30.1")], 2, "is off the measured times by 30.1%"),
        ([off_by_comment("nan")], 2, "[lanes] bandwidth of "),
        ([BY_HAND, FIT, NODE_BANDWIDTH], 2, " has no [node] bandwidth: the machine was too busy"),
        ([LANES_BANDWIDTH], 2, " has no [lanes] bandwidth: the machine was too busy"),
        ([NODE_BANDWIDTH], 2, " has no [node] bandwidth: the machine was too busy"),
        ([NODE_BANDWIDTH, ALONE], 1, ""),
        ([NODE_BANDWIDTH, ALONE], 4, " has no [node] bandwidth: it was calibrated with one"),
        ([NODE_BANDWIDTH, BY_HAND], 2, ""),
    ],
    ids=str,
)
def test_what_speaks_against_a_calibrated_machine(home, changes, ppn, why):
    """Values of which noise left nothing are not in the file, and take no time when simulated."""
    said = predictions.doubt(rewritten(home, *changes), ppn)
    assert why in said if why else said == ""


def test_the_latest_machine_is_one_that_was_calibrated(home, monkeypatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home))
    mine = home / "laneway" / "machines" / "mine.toml"
    other = mine.with_name("by_hand.toml")
    other.write_text(MACHINE)
    os.utime(mine, (1, 1))
    assert predictions.described("calibrated") == mine
    mine.write_text(MACHINE)
    with pytest.raises(files.Misuse, match="no machine is calibrated"):
        predictions.described("calibrated")


def test_without_rules_there_is_no_file(tmp_path, capsys):
    none = prediction(wins={"bcast": []})
    path = tmp_path / "p.conf"
    assert not predictions.write(none, path)
    assert "nothing gains enough on 4 x 4: no profile is predicted\n" in capsys.readouterr().err
    assert not path.exists()
    assert predictions.write(prediction(), path)
    assert not predictions.write(none, path)
    assert f"{path}, which an earlier prediction wrote, is removed" in capsys.readouterr().err
    assert not path.exists()
    path.write_text(files.sealed("laneway profile 1\nbcast use lane\n"))
    assert not predictions.write(none, path)
    assert path.exists(), "that was no prediction"


@pytest.mark.parametrize("form", [str, as_comments])
def test_what_was_predicted_for_another_machine_is_left_alone(tmp_path, monkeypatch, form):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    own = prediction()
    own.path.parent.mkdir(parents=True)
    own.path.write_text(form(own.text()))
    for other in (prediction(machine="other.toml"), prediction(machine="other.toml", wins={})):
        with pytest.raises(files.Misuse, match=r"was predicted for mine\.toml"):
            predictions.write(other, other.path)
    assert own.path.read_text() == form(own.text())
    elsewhere = tmp_path / "named.conf"
    predictions.write(own, elsewhere)
    assert predictions.write(prediction(machine="other.toml"), elsewhere), "it is named"


@pytest.mark.parametrize("form", [str, as_comments])
def test_other_collectives_keep_their_rules(tmp_path, form):
    path = tmp_path / "p.conf"
    path.write_text(form(prediction().text()))
    scan = {"scan": wins([forecast(4, lane=20)])}
    both = predictions.keeping(prediction(wins=scan, date="2026-11-26"), path)
    assert both.rules == 4
    text = both.text()
    assert "\nsimulated barrier bcast scan\n" in text
    assert "\npredicted 2026-11-26\n" in text
    for line in GOLDEN[GOLDEN.index("# 0 bytes") :].splitlines():
        assert line in text.splitlines()
    predictions.write(both, path)
    again = predictions.keeping(prediction(wins=scan), path)
    assert (again.rules, again.kept.collectives) == (4, ("barrier", "bcast"))
    gone = predictions.keeping(prediction(wins={"bcast": []}), path)
    assert (gone.rules, gone.kept.collectives) == (2, ("barrier", "scan"))
    for changed in ({"margin": 2}, {"machine": "other.toml"}, {"library": "Open MPI 4.1.5"}):
        with pytest.raises(files.Misuse, match="predict all of them, or take another --output"):
            predictions.keeping(prediction(**changed), path)
    nowhere = predictions.keeping(prediction(), tmp_path / "none.conf")
    assert nowhere == prediction()


@pytest.mark.skipif(not builds.installed(), reason="no native build is installed")
@pytest.mark.parametrize(("nodes", "there"), [(4, True), (5, False)])
def test_for_many_ranks_no_process_hears_from_all(nodes, there):
    build = builds.installed()[0]
    scene = Scene(machine.load("hydra"), predictions.native_of(build, "openmpi-4.1"), nodes, 4)
    assert ("linear" in scene.forecast("bcast", 4, "native").times_us) == there
    assert "linear" in scene.forecast("bcast", 4, "linear").times_us, "where it serves already"
    assert "linear" in scene.forecast("exscan", 4, "native").times_us, "from rank to rank"


@pytest.mark.skipif(not builds.installed(), reason="no native build is installed")
def test_blocks_of_a_vector_collective_have_all_layouts():
    library = predictions.native_of(builds.installed()[0], "openmpi-4.1")
    where = (machine.load("hydra"), library, 4, 4)
    own = {
        layouts: Scene(*where, layouts).forecast("gatherv", 1024, "native")
        for layouts in (("equal",), ("single",), ("equal", "single"))
    }
    equal, single, both = own.values()
    assert {*both.times_us} == {*equal.times_us} & {*single.times_us}
    for name in ("lane", "lane(straight=16384)"):
        assert both.gain(name) == pytest.approx(min(equal.gain(name), single.gain(name)))
    scene = Scene(*where, ("stencil",))
    assert scene.layouts_of("gatherv") == ["equal"], "it has no pairs"
    assert scene.layouts_of("alltoallv") == ["stencil"]


@pytest.mark.skipif(not builds.installed(), reason="no native build is installed")
def test_an_interrupt_leaves_what_is_not_begun():
    build = builds.installed()[0]
    scene = Scene(machine.load("hydra"), predictions.native_of(build, "openmpi-4.1"), 2, 1)
    begun = []

    def standing(_collective, size):
        begun.append(size)
        return "native"

    def interrupt(_told, _part):
        raise KeyboardInterrupt

    sizes = [4] * 1000
    with pytest.raises(KeyboardInterrupt):
        forecasts.forecasts(scene, {"barrier": sizes}, standing, interrupt)
    assert len(begun) < len(sizes) / 2


def test_shapes_of_a_calibrated_machine():
    assert predictions.shapes(1, 4, 2) == []
    assert predictions.shapes(4, 4, 2) == [CommunicatorShape(2, 4, 2), CommunicatorShape(4, 4, 2)]
    assert [shape.nodes for shape in predictions.shapes(6, 1, 1)] == [2, 4, 6]


def test_the_shape_of_a_calibrated_machine_is_in_its_file(home):
    path = home / "laneway" / "machines" / "mine.toml"
    assert predictions.calibrated_shape(path) == (2, 2)
    assert predictions.calibrated_shape(rewritten(home, BY_HAND, FIT)) == (2, 2)
    assert predictions.calibrated_shape(machine.OWN / "example.toml") is None


def test_a_library_that_is_not_described(tmp_path):
    unknown = NativeBuild("another-9.9", "another", "9.9", "Another 9.9",
                          tmp_path, tmp_path, tmp_path, "another")  # fmt: skip
    with pytest.raises(files.Misuse, match=r"no profile describes what Another 9.9 chooses"):
        predictions.native_of(unknown, None)
    assert predictions.native_of(unknown, "openmpi-4.1") == native.load("openmpi-4.1")
