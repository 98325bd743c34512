# SPDX-License-Identifier: BSD-3-Clause
"""Every study, simulated and measured on this machine, at more than toy sizes: minutes each."""

import json

import pytest

from commands import laneway
from laneway_studies import registry

pytestmark = pytest.mark.full

SIMULATED = {
    "allreduce": ("--node-counts", "2,3,4,7,8,16,32"),
    "fugaku": ("--imb-form", "4x6x16", "--forms", "2x3x2,2x3x4,4x3x4,4x6x4", "--sizes", "4,1K,64K"),
    "juqueen": ("--nodes-simulated", "128", "--elements", "64,4096,65536"),
    "latency": ("--process-counts", "2,8,32,128,192,256", "--sizes", "1,1K,64K"),
    "multilane": ("--machine", "jupiter"),
}
MEASURED = {
    "allreduce": ("--nodes", "4", "--ppn", "1", "--node-counts", "2,3,4"),
    "fugaku": ("--nodes", "4", "--ppn", "2", "--sizes", "4,1K,64K"),
    "juqueen": ("--nodes", "4", "--ppn", "2", "--elements", "64,4096,65536"),
    "latency": ("--nodes", "2", "--ppn", "4", "--sizes", "1,1K,64K"),
    "multilane": ("--nodes", "4", "--ppn", "2", "--ppn-each", "2", "--largest", "16K"),
}
"""Nodes are virtual ones, as whoever runs the tests may not be root."""


def sections(*words):
    said = laneway("study", *words, "--json")
    assert said.returncode == 0, said.stderr
    return {json.loads(line)["section"] for line in said.stdout.splitlines()}


def test_all_studies_are_here():
    assert {*SIMULATED} == {*MEASURED} == {*registry.names()}


@pytest.mark.parametrize("name", [*SIMULATED])
def test_a_study_is_simulated(name, tmp_path):
    assert "Without a section" not in sections(name, *SIMULATED[name], "--out", tmp_path / name)


@pytest.mark.parametrize("name", [*MEASURED])
def test_a_study_is_measured(name, tmp_path):
    place = ("--launcher", "local", "--cluster", "none", "--runs", "2", "--time", "0.005")
    found = sections(name, *place, *MEASURED[name], "--out", tmp_path / name)
    assert found
    assert not any(title.startswith("Without a section") for title in found)
