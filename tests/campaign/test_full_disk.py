# SPDX-License-Identifier: BSD-3-Clause
"""Where no file can grow any more: one line says which, and nothing half-written stays."""

import contextlib
import json
import subprocess
from functools import partial
from pathlib import Path

import pytest

import campaigns
from commands import COMMAND, NO_ROOM, laneway, room_for
from jobs import LIMIT
from laneway import files
from laneway.campaign import Folder
from laneway.errors import Problem
from laneway.results.imports import import_files

from .conftest import Sham


@pytest.mark.parametrize("size", [10, 900, 9000, 20_000])
def test_a_campaign_says_which_file_has_no_room_and_goes_on_later(sham, size):
    # 10 bytes have no room for its plan, 900 none for its manifest. The others have none for all
    # rows: of the first run, and of the second.
    with room_for(size), pytest.raises(Problem, match=f"cannot write {sham.folder}.*: {NO_ROOM}"):
        sham.measure()
    kept = sham.folder.path.exists()
    assert kept is (size > 900), "where nothing was measured nothing stays"
    if kept:
        lines = sham.folder.raw.read_text().splitlines()
        assert all(json.loads(line) for line in lines)
    again = Sham(sham.path)
    again.measure(resume=kept)
    again.check_complete()


def test_a_campaign_without_room_names_the_command_that_goes_on(sham):
    with room_for(9000), pytest.raises(Problem, match=f"campaign resume {sham.folder}$"):
        sham.measure()


@pytest.fixture
def measured(tmp_path):
    rows = campaigns.campaign(("bcast",), sizes=2, runs=1, samples=2)
    return campaigns.write(tmp_path / "measured", rows)


@pytest.mark.parametrize(
    ("words", "file"),
    [
        (["report", "{measured}", "--out", "{out}/report.html"], "report.html"),
        (["plot", "{measured}", "--figure", "time", "--format", "csv", "--out", "{out}"],
         "time.csv"),
        (["plot", "{measured}", "--figure", "time", "--out", "{out}"], "time-"),
    ],
)  # fmt: skip
def test_what_is_drawn_is_whole_or_as_it_was(measured, tmp_path, words, file):
    out = tmp_path / "out"
    words = [word.format(measured=measured, out=out) for word in words]
    with room_for(100):
        said = laneway(*words)
    assert said.returncode == 1
    assert said.stderr.startswith(f"laneway: cannot write {out}/{file}")
    assert said.stderr.endswith(f": {NO_ROOM}\n")
    assert said.stderr.count("\n") == 1
    assert [*out.iterdir()] == []

    assert laneway(*words).returncode == 0
    before = {path: path.read_bytes() for path in out.iterdir()}
    with room_for(100):
        assert laneway(*words).returncode == 1
    assert {path: path.read_bytes() for path in out.iterdir()} == before


@pytest.mark.parametrize("name", ["rows.parquet", "rows.csv"])
def test_an_export_is_whole_or_as_it_was(sham, monkeypatch, name):
    sham.measure()
    folder = sham.folder
    whole = files.replace

    def crowded(path, content):
        with room_for(10) if path.name == name else contextlib.nullcontext():
            whole(path, content)

    monkeypatch.setattr(files, "replace", crowded)
    with pytest.raises(Problem, match=f"cannot write {folder}/{name}: {NO_ROOM}"):
        folder.export()
    assert not (folder.path / name).exists()
    assert not [*folder.path.glob(".rows*")]


@pytest.mark.parametrize("size", [10, 1000])
def test_an_import_is_whole_or_not_there(tmp_path, size):
    table = "".join(f"{2**power:<12}{1.5:>12.2f}\n" for power in range(20))
    text = f"# OSU MPI Allreduce Latency Test v7.5\n# Size       Avg Latency(us)\n{table}"
    (tmp_path / "osu.txt").write_text(text)
    about = dict.fromkeys(("nodes", "ppn")) | {"algorithm": "native", "library": "unknown"}
    fill = partial(import_files, [tmp_path / "osu.txt"], Folder(tmp_path / "out"), about)
    with room_for(size), pytest.raises(Problem, match=f"cannot write .*: {NO_ROOM}$"):
        fill()
    assert not (tmp_path / "out").exists()
    fill()
    assert len([*Folder(tmp_path / "out").rows()]) == 21


@pytest.mark.parametrize("words", [["--help"], ["report", "{measured}", "--table"]])
def test_standard_output_without_room_is_one_line(measured, words):
    with Path("/dev/full").open("w") as full:
        said = subprocess.run(
            [*COMMAND, *(word.format(measured=measured) for word in words)],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            timeout=LIMIT,
        )
    assert said.returncode == 1
    assert said.stderr == "laneway: cannot write standard output: No space left on device\n"


def test_what_is_no_ordinary_file_is_written_to(tmp_path):
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_text("before")
    link.symlink_to(target)
    files.replace(link, "after")
    assert link.is_symlink()
    assert target.read_text() == "after"
    files.replace(Path("/dev/null"), "text")
    assert Path("/dev/null").is_char_device()
    with pytest.raises(Problem, match="cannot write /dev/full: No space left"):
        files.replace(Path("/dev/full"), "text")
    assert Path("/dev/full").is_char_device()


def test_a_campaign_is_a_folder():
    with (
        pytest.raises(Problem, match="cannot write results to /dev/full: it is no folder"),
        Folder(Path("/dev/full")).locked(),
    ):
        pass
