# SPDX-License-Identifier: BSD-3-Clause
"""The commands that run, resume and show a campaign."""

import csv
import json
import shutil
from collections import Counter

import polars as pl
import pytest

from commands import laneway
from laneway.campaign import Folder
from laneway.commands.campaign import _in_form
from laneway.commands.compare import compare_command
from laneway.commands.probe import probe_command
from laneway.commands.shared.forms import Form
from laneway.errors import Misuse
from test_cli import sham_prefix

from .conftest import cut_in_half, invoke


def test_the_commands_of_a_campaign(sham, monkeypatch, tmp_path):
    facts = {"id": "openmpi-9.0", "family": "openmpi", "version": "9.0.1", "library": "Sham 1.0",
             "mpicc": "mpicc", "mpiexec": str(sham.build.mpiexec)}  # fmt: skip
    sham.build.folder.mkdir()
    (sham.build.folder / "build.json").write_text(json.dumps(facts))
    monkeypatch.setenv("LANEWAY_PREFIX", str(sham.build.folder.parent))
    plan = tmp_path / "plan.toml"
    plan.write_text(sham.text + "[place]\nmpi='openmpi-9.0'\ncluster='none'\nnodes=2\nppn=2\n")

    said = invoke("campaign", "run", plan, "--out", sham.folder, "--json")
    assert said.exit_code == 0, said.output
    found = json.loads(said.stdout)
    assert (found["complete"], found["done"], found["samples"]) == (True, 18, 144)
    sham.check_complete()
    assert pl.read_parquet(sham.folder.path / "rows.parquet").height == 144
    assert pl.read_csv(sham.folder.path / "rows.csv").height == 144

    assert "complete, 18 of 18 blocks in 3 runs" in invoke("campaign", "status", sham.folder).stdout
    (sham.folder.path / "rows.csv").unlink()
    assert "rows.csv" in invoke("campaign", "export", sham.folder).stdout
    (again,) = csv.DictReader(
        invoke("campaign", "resume", sham.folder, "--csv").stdout.splitlines()
    )
    assert again["samples"] == "144"
    assert sham.starts == 3
    with pytest.raises(Misuse, match="is no campaign"):
        invoke("campaign", "status", tmp_path)

    judged = invoke("verify", sham.folder, "--json")
    assert judged.exit_code == 3, "three runs decide nothing"
    findings = [json.loads(line) for line in judged.stdout.splitlines()]
    assert {each["guideline"] for each in findings} >= {"native <= native#b", "monotony"}
    assert {each["verdict"] for each in findings} == {"UNDECIDED"}
    told = invoke("verify", sham.folder, "--guideline", "native#b")
    assert "3 runs can never decide" in told.stdout
    assert invoke("verify", sham.folder, "--algorithm", "lane").exit_code == 2


def test_a_comparison_goes_on_where_it_stopped(sham, tmp_path):
    prefix = sham_prefix(tmp_path, "")
    shutil.copy(sham.path / "mpirun", tmp_path / "mpirun")
    words = ["compare", "--mpi", "openmpi-9.0", "--cluster", "none", "--nodes", 2, "--ppn", 2]
    words += ["--collective", "bcast,allreduce", "--count", "1,10,100", "--repetitions", 4]
    words += ["--algorithm", "native,native#b", "--out", sham.folder.path]
    said = laneway(*words, LANEWAY_PREFIX=str(prefix))
    assert said.returncode == 0, said.stderr
    table = said.stdout
    cut_in_half(sham.folder.path)
    again = laneway("campaign", "resume", sham.folder, LANEWAY_PREFIX=str(prefix))
    assert again.returncode == 0, again.stderr
    sham.check_complete(runs=6)
    assert again.stdout == table, "the table is that of all runs"
    as_csv = laneway("campaign", "resume", sham.folder, "--csv", LANEWAY_PREFIX=str(prefix))
    assert as_csv.stdout.startswith("machine,collective,algorithm,"), as_csv.stdout + as_csv.stderr
    cut_in_half(sham.folder.path)
    changed = laneway("campaign", "resume", sham.folder, LANEWAY_PREFIX=str(prefix), UCX_TLS="tcp")
    assert changed.returncode == 1
    assert "variables.UCX_TLS was not set, is tcp" in changed.stderr


def test_what_no_campaign_began_does_not_go_on(tmp_path):
    Folder(tmp_path).create({"command": "laneway campaign import osu.txt"})
    said = laneway("campaign", "resume", tmp_path)
    assert said.returncode == 2
    assert "neither campaign run, calibrate, compare, probe nor verify began it" in said.stderr


def test_what_measured_nothing_leaves_nothing(sham, monkeypatch, tmp_path):
    sham.build.mpiexec.write_text("#!/bin/sh\necho 'srun: no such partition' >&2\nexit 1\n")
    result = sham.measure()
    assert "srun: no such partition" in result.failures[0]
    assert not sham.folder.path.exists()

    prefix = sham_prefix(tmp_path, "echo 'srun: no such partition' >&2; exit 1")
    monkeypatch.setenv("LANEWAY_PREFIX", str(prefix))
    plan = tmp_path / "plan.toml"
    plan.write_text(sham.text + "[place]\nmpi='openmpi-9.0'\ncluster='none'\nnodes=2\nppn=2\n")
    said = invoke("campaign", "run", plan, "--out", sham.folder)
    assert said.exit_code == 1
    assert "no such partition" in said.stderr
    assert "nothing was measured" in said.stderr
    assert not sham.folder.path.exists()


def test_verdicts_name_their_folder(planned, tmp_path):
    other = tmp_path / "other"
    shutil.copytree(planned.path, other)
    judged = invoke("verify", planned, other, "--guideline", "native#b", "--json")
    folders = Counter(json.loads(line)["folder"] for line in judged.stdout.splitlines())
    assert folders == {str(planned): 6, str(other): 6}
    told = invoke("verify", planned, other, "--guideline", "native#b").stdout
    first, second = told.index(f"== {planned}\n"), told.index(f"== {other}\n")
    assert first < told.index(f"--runs 7 {planned}") < second < told.index(f"--runs 7 {other}")


@pytest.mark.parametrize(
    ("kept", "words"),
    [("compare bcast", "--json bcast"), ("probe --csv --k 2", "--json --k 2")],
)
def test_the_form_that_is_asked_for_takes_the_place_of_the_one_that_was(kept, words):
    name, *own = kept.split()
    command = {"compare": compare_command, "probe": probe_command}[name]
    assert _in_form(Form.JSON, command, own) == words.split()
    assert _in_form(Form.TEXT, command, own) == own


def test_a_calibration_has_no_table_to_go_on_with(tmp_path):
    Folder(tmp_path).create({"command": "laneway calibrate --nodes 2"})
    said = laneway("campaign", "resume", tmp_path, "--markdown")
    assert said.returncode == 2
    assert "--markdown: laneway calibrate began this" in said.stderr
