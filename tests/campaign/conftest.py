# SPDX-License-Identifier: BSD-3-Clause
"""Campaigns whose launcher is a script."""

import json
import shutil
import sys
from collections import Counter
from itertools import product
from pathlib import Path

import pytest
from click.testing import CliRunner

from laneway.campaign import Folder, measure
from laneway.cli import cli
from laneway.launching.place import Place, Setting
from laneway.libraries.native import NativeBuild
from laneway.plans.plan_file import CampaignPlan, parse
from test_cli import sham_prefix

HANGS = "from now on nothing comes"

LAUNCHER = """#!{python} -S
import json, os, sys, time

given = dict(word[2:].split("=", 1) for word in sys.argv if word.startswith("--") and "=" in word)
run = int(given["run"])
behaviour = json.load(open({behaviour!r}))

def say(**row):
    print(json.dumps(row), flush=True)

with open({starts!r}, "a") as file:
    file.write(given.get("plan", "start") + "\\n")
if run in behaviour.get("refuses", []):
    print("no such host", file=sys.stderr)
    sys.exit(1)
say(kind="environment", run=run, library_version=behaviour.get("library", "Sham 1.0.1"),
    library="Sham 1.0", ranks=4, nodes=2, ppn=2, settings={{}},
    hosts=sorted(behaviour.get("hosts", [["a"]])[(run - 1) % len(behaviour.get("hosts", [0]))] * 4),
    hardware=behaviour.get("hardware", {{}}))
if "--start" in sys.argv:
    now = time.time() * 1e6
    say(kind="start", run=run, ranks=4, nodes=2, ppn=2, library="Sham 1.0", main_first_us=now - 4,
        main_last_us=now - 3, init_first_us=now - 2, init_last_us=now)
    sys.exit()
known = 0
while True:
    text = open(given["plan"]).read()[known:]
    if known and text != "\\n" and not text.endswith("\\n\\n"):
        time.sleep(0.01)
        continue
    known += len(text)
    blocks = [line.split() for line in text.splitlines() if line]
    for number, (name, *words) in enumerate(blocks):
        own = dict(word[2:].split("=", 1) for word in words)
        for repetition in range(int(given["repetitions"])):
            for algorithm in own["algorithm"].split(","):
                time.sleep(behaviour.get("seconds", 0))
                say(kind="sample", run=run, block=name, collective=own["collective"],
                    algorithm=algorithm, count=int(own["count"]), datatype=own["datatype"],
                    bytes=4 * int(own["count"]), served_by=algorithm, nodes=2, ppn=2, lanes=None,
                    library="Sham 1.0", binding="all", repetition=repetition, time_us=100.5)
        for algorithm in own["algorithm"].split(","):
            hopeless = run == 1 and algorithm in behaviour.get("hopeless", [])
            say(kind="averages", run=run, block=name, collective=own["collective"],
                algorithm=algorithm, count=int(own["count"]), datatype=own["datatype"],
                bytes=4 * int(own["count"]), stopped_by="dropped" if hopeless else "time")
        what = behaviour.get("at", {{}}).get(f"{{own['collective']}} {{own['count']}}")
        if what == "hang":
            print({hangs!r}, flush=True)
            time.sleep(1000)
        if what == "crash":
            print("the reason", file=sys.stderr)
            os._exit(9)
        if what == "vanish" or (what == "vanish once" and not os.path.exists({vanished!r})):
            open({vanished!r}, "w").close()
            os._exit(0)
        if what == "leave":
            print("the reason", file=sys.stderr)
            os._exit(0)
        say(kind="block", run=run, block=name, samples=1, seconds=0.1, timed_s=0.1)
        say(kind="progress", run=run, done=number + 1, total=len(blocks))
    if "--more" not in sys.argv or not blocks:
        break
"""

PLAN = """
name = "sham"
[[points]]
collectives = ["bcast", "allreduce"]
algorithms = ["native", "native#b"]
counts = [1, 10, 100]
[repeat]
runs = 3
repetitions = 4
silence = 30
"""

POINTS = [*product(("bcast", "allreduce"), (1, 10, 100))]


class Quiet:
    """An observer that keeps what it was told."""

    def __init__(self):
        self.told = []

    def begin(self, run):
        pass

    def advance(self, done):
        self.told.append(done)

    def end(self, run, seconds):
        pass


class Sham:
    """A campaign whose launcher is a script."""

    def __init__(self, path: Path, plan=PLAN):
        path.mkdir(exist_ok=True)
        self.path = path
        self.folder = Folder(path / "results")
        self.text = plan
        mpirun = path / "mpirun"
        mpirun.write_text(LAUNCHER.format(python=sys.executable, hangs=HANGS,
                                          starts=str(path / "starts"),
                                          vanished=str(path / "vanished"),
                                          behaviour=str(path / "behaviour")))  # fmt: skip
        mpirun.chmod(0o755)
        self.build = NativeBuild("openmpi-9.0", "openmpi", "9.0.1", "Sham 1.0", Path("mpicc"),
                                 mpirun, path / "openmpi-9.0", "openmpi")  # fmt: skip
        self.behave()

    def behave(self, **behaviour):
        (self.path / "behaviour").write_text(json.dumps(behaviour))

    @property
    def plan(self):
        return CampaignPlan(parse(self.text, "plan"), [self.build], [Setting(Place(2, 2))])

    def measure(self, **options):
        return measure(self.plan, self.folder.path, Quiet(), text=self.text, **options)

    @property
    def starts(self):
        return len((self.path / "starts").read_text().splitlines())

    @property
    def rows(self):
        """Rows that came from the launcher so far."""
        return self.folder.raw.read_bytes().count(b"\n") if self.folder.raw.exists() else 0

    def check_complete(self, runs=3, repetitions=4, without=()):
        """Every sample there is, once."""
        samples = self.folder.samples()
        keys = ["run", "collective", "count", "algorithm", "repetition"]
        found = Counter(samples.select(keys).iter_rows())
        expected = {
            (run, collective, count, algorithm, repetition)
            for run, (collective, count) in product(range(1, runs + 1), POINTS)
            for algorithm, repetition in product(("native", "native#b"), range(repetitions))
            if (run, collective, count) not in without
        }
        assert set(found) == expected
        assert set(found.values()) == {1}


@pytest.fixture
def sham(tmp_path):
    return Sham(tmp_path / "sham")


def invoke(*words):
    result = CliRunner().invoke(cli, [str(word) for word in words])
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


@pytest.fixture
def planned(sham, monkeypatch, tmp_path):
    """The folder of a complete campaign of three runs, made by `laneway campaign run`."""
    prefix = sham_prefix(tmp_path, "")
    shutil.copy(sham.path / "mpirun", tmp_path / "mpirun")
    monkeypatch.setenv("LANEWAY_PREFIX", str(prefix))
    plan = tmp_path / "plan.toml"
    plan.write_text(sham.text + "[place]\nmpi='openmpi-9.0'\ncluster='none'\nnodes=2\nppn=2\n")
    assert invoke("campaign", "run", plan, "--out", sham.folder).exit_code == 0
    return Folder(sham.folder.path)


def cut_in_half(folder):
    rows = (folder / "rows.jsonl").read_text().splitlines(keepends=True)
    (folder / "rows.jsonl").write_text("".join(rows[: len(rows) // 2]))
