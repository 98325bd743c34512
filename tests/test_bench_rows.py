# SPDX-License-Identifier: BSD-3-Clause
"""`laneway bench --rows`: what the file holds, at any moment."""

import json

import pytest

from commands import laneway
from laneway import bench
from laneway.errors import Problem

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

    def rows(_job, _silence):
        for step in steps:
            if callable(step):
                step()
            else:
                yield step

    monkeypatch.setattr(bench, "rows", rows)
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


@pytest.mark.parametrize("rows", [[], [ENVIRONMENT], [ENVIRONMENT, SAMPLE]])
def test_what_fails_at_once_leaves_the_file_as_it_was(path, monkeypatch, rows):
    assert run(path, monkeypatch, *rows, fail).returncode == 1
    assert path.read_text() == BEFORE


def test_what_fails_later_has_kept_what_was_done(path, monkeypatch):
    said = run(path, monkeypatch, ENVIRONMENT, SAMPLE, AVERAGES, SAMPLE, fail)
    assert said.returncode == 1
    assert kinds(path) == ["environment", "sample", "averages"]


def test_a_job_without_a_case_replaces_the_file_all_the_same(path, monkeypatch):
    assert run(path, monkeypatch, ENVIRONMENT, NOTE).returncode == 0
    assert kinds(path) == ["environment", "note"]
