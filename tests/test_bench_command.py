# SPDX-License-Identifier: BSD-3-Clause
"""The command `laneway bench`: what it prints, and what its file of rows holds at any moment."""

import json

import pytest

from benchmark import of_kind
from commands import laneway
from laneway import rows
from laneway.campaign import bench
from laneway.errors import Problem
from laneway.showing.averages import throughput

ENVIRONMENT = {"kind": "environment", "library": "Open MPI 4.1.4"}
SAMPLE = {"kind": "sample", "collective": "bcast", "time_us": 1.0}
NOTE = {"kind": "note", "collective": "bcast", "count": 1, "algorithm": "lane", "message": "late"}
AVERAGES = {
    "kind": "averages",
    "collective": "bcast",
    "algorithm": "native",
    "ranks": 4,
    "bytes": 8,
    "count": 2,
    "repetitions": 1,
    "min_us": 1.0,
    "avg_us": 1.0,
    "max_us": 1.0,
    "median_us": 1.0,
    "low_us": None,
    "high_us": None,
    "late": None,
}
BEFORE = '{"kind": "sample", "of": "last week"}\n'


@pytest.fixture
def path(tmp_path):
    """A file that holds rows already."""
    file = tmp_path / "rows.jsonl"
    file.write_text(BEFORE)
    return file


def run(path, monkeypatch, *steps):
    """`laneway bench --rows` of a job that prints rows; what else is a step is called between."""

    def printed(_job, _silence):
        for step in steps:
            if callable(step):
                step()
            else:
                yield step

    monkeypatch.setattr(bench, "rows", printed)
    return laneway("bench", "bcast", "--nodes", 2, "--ppn", 2, "--rows", path)


def kinds(path):
    return [json.loads(line)["kind"] for line in path.read_text().splitlines()]


def fail():
    raise Problem("the job failed")


def test_rows_are_in_the_file_when_their_case_is_done(path, monkeypatch):
    seen = []

    def look():
        seen.append(path.read_text() if path.read_text() == BEFORE else kinds(path))

    first, second = [SAMPLE, SAMPLE, look, AVERAGES], [NOTE, SAMPLE, AVERAGES]
    said = run(path, monkeypatch, ENVIRONMENT, look, *first, look, *second, look)
    assert said.returncode == 0, said.stderr
    done = ["environment", "sample", "sample", "averages"]
    assert seen == [BEFORE, BEFORE, done, [*done, "note", "sample", "averages"]]


ALL = [json.dumps({"kind": "progress", "done": done, "total": 2}) for done in (0, 1, 2)]


@pytest.mark.parametrize(
    ("lines", "fails"),
    [
        (ALL, False),
        (ALL[:2], True),
        ([], True),
        ([json.dumps({"kind": "start"})], False),
        ([json.dumps({"kind": "progress", "done": 0, "total": 0})], False),
    ],
)
def test_a_job_that_ends_early_has_failed_whatever_its_exit_code(lines, fails):
    class Sham:
        def command(self):
            return ["sh", "-c", 'printf "%s\\n" "$@"; echo why >&2', "sh", *lines]

    found = bench.rows(Sham(), silence=60)
    if not fails:
        assert [*found] == [json.loads(line) for line in lines]
        return
    with pytest.raises(Problem, match="ended before all was measured\nwhy"):
        list(found)


@pytest.mark.parametrize("printed", [[], [ENVIRONMENT], [ENVIRONMENT, SAMPLE]])
def test_what_fails_at_once_leaves_the_file_as_it_was(path, monkeypatch, printed):
    assert run(path, monkeypatch, *printed, fail).returncode == 1
    assert path.read_text() == BEFORE


def test_what_fails_later_has_kept_what_was_done(path, monkeypatch):
    said = run(path, monkeypatch, ENVIRONMENT, SAMPLE, AVERAGES, SAMPLE, fail)
    assert said.returncode == 1
    assert kinds(path) == ["environment", "sample", "averages"]


def test_a_job_without_a_case_replaces_the_file_all_the_same(path, monkeypatch):
    nothing = {"kind": "progress", "done": 0, "total": 0}
    assert run(path, monkeypatch, ENVIRONMENT, NOTE, nothing).returncode == 0
    assert kinds(path) == ["environment", "note"]


# ---- real jobs -------------------------------------------------------------------------------

HERE = ("--cluster", "none", "--nodes", "2", "--ppn", "1")


def test_the_command_prints_a_table_and_rows(tmp_path):
    kept = tmp_path / "rows"
    done = laneway(
        "bench", "pingpong", "MPI_Bcast", *HERE, "-m", "64:128", "-i", "5", f"--rows={kept}"
    )
    assert done.returncode == 0, done.stderr
    lines = [line.split() for line in done.stdout.splitlines()]
    assert [line[3] for line in lines if line[:2] == ["pingpong", "native"]] == ["64", "128"]
    averages = of_kind("averages", [*rows.read(kept.read_text().splitlines())])
    assert {row["collective"] for row in averages} == {"pingpong", "bcast"}
    sendrecv = averages[0] | {"collective": "sendrecv", "bytes": 50, "max_us": 2}
    assert throughput(sendrecv) == 50


def test_how_long_a_job_takes_to_start():
    done = laneway("bench", "start", *HERE, "--json")
    assert done.returncode == 0, done.stderr
    row = json.loads(done.stdout)
    assert 0 < row["first_us"] <= row["last_us"] <= row["init_last_us"]
    assert row["first_us"] < row["init_first_us"] <= row["init_last_us"] < 120e6
    assert row["ranks"] == 2


@pytest.mark.parametrize("what", ["overhead", "hops"])
def test_what_has_no_cases_ends_well(what):
    done = laneway("bench", "bcast", *HERE, f"--{what}", "-i", "3", "--time", "0.01", "--json")
    assert done.returncode == 0, done.stderr
    assert what in {json.loads(line)["kind"] for line in done.stdout.splitlines()}


def test_what_the_benchmark_rejects_is_said():
    done = laneway("bench", "pingpong", *HERE, "--nonsense")
    assert done.returncode == 2
    assert "no option '--nonsense', did you mean" in done.stderr
    other = laneway("bench", "bcast", *HERE, "--list")
    assert (other.returncode, other.stderr.count("laneway algorithms")) == (2, 1)
    none = laneway("bench", "-m", "8", "allreduce", *HERE, "--threads", "0")
    assert none.returncode == 2
    assert "--threads: '0' is no number from 1 up" in none.stderr
    assert len(none.stderr.splitlines()) == 1
    assert "--msglog" in laneway("bench", "--help").stdout
