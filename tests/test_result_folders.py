# SPDX-License-Identifier: BSD-3-Clause
"""Where results go unless the user says: `laneway.files`."""

import subprocess
from datetime import UTC, datetime
from types import SimpleNamespace

import pytest

from commands import COMMAND
from jobs import LIMIT
from laneway import files
from laneway.errors import Misuse, Problem


def test_folders_of_one_second_are_two(tmp_path, monkeypatch):
    """Commands of a job script begin in the same second; each has results of its own."""
    monkeypatch.chdir(tmp_path)
    moment = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
    monkeypatch.setattr(files, "datetime", SimpleNamespace(now=lambda _: moment))
    with files.results_folder("compare") as first, files.results_folder("compare") as second:
        assert first.is_dir()
        assert second.is_dir()
        assert first != second
        (first / "rows.jsonl").touch()
    assert [*tmp_path.rglob("*")] == [tmp_path / "laneway-results", tmp_path / first,
                                      tmp_path / first / "rows.jsonl"]  # fmt: skip


def test_a_folder_that_nothing_came_into_is_gone(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(Misuse), files.results_folder("import"):
        raise Misuse("no such file")
    assert [*tmp_path.iterdir()] == []
    with files.results_folder("import", tmp_path / "chosen") as chosen:
        assert chosen == tmp_path / "chosen"
    (tmp_path / "laneway-results").touch()
    with pytest.raises(Problem, match="Not a directory: start in a folder of your own"):
        files.new_folder("import")


def test_commands_of_one_moment_write_into_folders_of_their_own(tmp_path):
    """Six that begin at once: six folders."""
    lines = "".join(f"{2**size} {size}.50\n" for size in range(10))
    text = f"# OSU MPI Broadcast Latency Test v7.3\n# Size Avg Latency(us)\n{lines}"
    (tmp_path / "osu.txt").write_text(text)
    words = ["campaign", "import", "osu.txt", "--library", "x", "--nodes", "1", "--ppn", "2"]
    began = [subprocess.Popen([*COMMAND, *words], cwd=tmp_path) for _ in range(6)]
    assert [one.wait(LIMIT) for one in began] == [0] * 6
    assert len([*(tmp_path / "laneway-results").glob("import-*/rows.jsonl")]) == 6
