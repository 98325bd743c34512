# SPDX-License-Identifier: BSD-3-Clause
"""The parts of the environment that are recorded, watched and noticed on resume."""

import json
from types import SimpleNamespace

import pytest

from laneway.campaign import Folder, environment
from laneway.cluster.spec import ClusterSpec
from laneway.cluster.state import State
from laneway.errors import Misuse, Problem
from laneway.launching.place import Place, Setting

from .conftest import cut_in_half, invoke


def test_another_environment_is_noticed(sham, monkeypatch):
    sham.measure()
    with pytest.raises(Misuse, match="holds results already"):
        sham.measure()
    cut = sham.folder.raw.read_text().splitlines(keepends=True)
    sham.folder.raw.write_text("".join(cut[: len(cut) // 2]))

    monkeypatch.setenv("OMPI_MCA_btl", "tcp,self")
    with pytest.raises(Problem, match=r"variables\.OMPI_MCA_btl was not set, is tcp,self"):
        sham.measure(resume=True)
    monkeypatch.delenv("OMPI_MCA_btl")
    sham.behave(library="Sham 1.0.2")
    with pytest.raises(Problem, match=r"library_version was Sham 1\.0\.1, is Sham 1\.0\.2"):
        sham.measure(resume=True)
    monkeypatch.setenv("OMPI_MCA_btl", "tcp,self")
    sham.measure(resume=True, force=True)
    sham.check_complete()
    changes = [row["changes"] for row in sham.folder.rows() if row["kind"] == "changed"]
    assert changes == [
        ["variables.OMPI_MCA_btl was not set, is tcp,self"],
        ["library_version was Sham 1.0.1, is Sham 1.0.2"],
    ]


def test_what_is_complete_asks_for_no_environment(sham, monkeypatch):
    """Nothing is measured any more: a tuning goes on with its next stage, or installs."""
    sham.measure()
    monkeypatch.setenv("OMPI_MCA_btl", "tcp,self")
    result = sham.measure(resume=True)
    assert not result.changes
    assert "changed" not in {row["kind"] for row in sham.folder.rows()}
    with pytest.raises(Problem, match=r"variables\.OMPI_MCA_btl was not set, is tcp,self"):
        sham.measure(resume=True, runs=sham.folder.manifest["runs"] + 1)


def test_a_named_cluster_is_the_same_after_the_manifest_was_read():
    spec = ClusterSpec("one", nodes=2, lanes=2)
    cluster = SimpleNamespace(spec=spec, state=State(spec, 1, 0, (2, 3), privileged=True))
    facts = environment.facts([], {"there": Place(2, 2, cluster)})
    kept = json.loads(json.dumps(facts))
    assert kept["places"]["there"]["cluster"]["nodes"] == 2
    assert not [*environment.differences(kept, facts)]


def test_differences_name_what_changed():
    before = {"a": {"b": 1, "c": [1]}, "d": "x"}
    now = {"a": {"b": 2, "c": [1]}, "e": "y"}
    assert [*environment.differences(before, now)] == [
        "a.b was 1, is 2", "d was x, is not set", "e was not set, is y",
    ]  # fmt: skip
    assert environment.variables({"UCX_TLS": "tcp", "HOME": "/", "LANEWAY_CLUSTER": "x"}) == {
        "UCX_TLS": "tcp"
    }


@pytest.mark.parametrize(
    "name", ["HCOLL_ENABLE", "SHARP_COLL_LOG", "MVP_X", "MV2_X", "MALLOC_ARENA_MAX",
             "GLIBC_TUNABLES"],
)  # fmt: skip
def test_variables_that_decide_are_watched(name):
    assert environment.variables({name: "1", "HOME": "/"}) == {name: "1"}


def test_parameter_files_are_watched(sham, monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("OPAL_PREFIX", str(tmp_path / "mpi"))
    own = tmp_path / ".openmpi" / "mca-params.conf"
    installed = tmp_path / "mpi" / "etc" / "openmpi-mca-params.conf"
    for path in (own, installed):
        path.parent.mkdir(parents=True)
        path.write_text("# nothing = set\n")
    sham.measure()
    cut_in_half(sham.folder.path)
    own.write_text("btl = tcp,self  # not the fabric\n")
    installed.write_text("coll_tuned_use_dynamic_rules = 1\n")
    with pytest.raises(Problem) as said:
        sham.measure(resume=True)
    assert f"parameters.{own}" in str(said.value)
    assert "'btl': 'tcp,self'" in str(said.value)
    assert "'coll_tuned_use_dynamic_rules': '1'" in str(said.value)


def test_the_manifest_has_the_map_of_ranks(sham):
    sham.measure()
    (ranks,) = Folder(sham.folder.path).manifest["ranks"].values()
    assert [each["node"] for each in ranks] == [0, 0, 1, 1], "virtual nodes"
    assert [each["host"] for each in ranks] == ["a"] * 4
    cluster = SimpleNamespace(spec=ClusterSpec("one", nodes=2, lanes=2))
    row = {"hosts": ["n0", "n0", "n0", "n1", "n1", "n1"]}

    def lanes(binding):
        setting = Setting(Place(2, 3, cluster), 2, binding)
        return [each["lanes"] for each in environment.map_of(row, setting)]

    assert lanes("lane") == [[0], [1], [0]] * 2
    assert lanes("all") == [[0, 1]] * 6
    assert lanes("one") == [[0]] * 6
    real = Setting(Place(2, 3, launcher="srun"))
    assert [each["node"] for each in environment.map_of(row, real)] == [0, 0, 0, 1, 1, 1]


def test_other_hosts_of_the_same_kind_go_on(sham, monkeypatch):
    sham.behave(hosts=[["a", "b"], ["c", "d"], ["e", "f"]], hardware={"a processor": "4"})
    sham.measure()
    sham.check_complete()
    cut_in_half(sham.folder.path)
    monkeypatch.setattr(environment.platform, "node", lambda: "another")
    monkeypatch.setattr(environment, "_commit", lambda: "another")
    sham.measure(resume=True)
    sham.check_complete()
    cut_in_half(sham.folder.path)
    sham.behave(hosts=[["a", "b"]], hardware={"another processor": "4"})
    with pytest.raises(Problem, match=r"hardware\.a processor was 4, is not set"):
        sham.measure(resume=True)
    result = sham.measure(resume=True, force=True)
    assert "hardware.another processor was not set, is 4" in result.changes
    sham.check_complete()


def test_what_force_waves_through_is_said(planned, monkeypatch):
    cut_in_half(planned.path)
    monkeypatch.setenv("UCX_TLS", "tcp")
    said = invoke("campaign", "resume", "--force", planned)
    assert said.exit_code == 0
    assert "--force waves through: variables.UCX_TLS was not set, is tcp" in said.stderr


@pytest.mark.parametrize(
    ("shown", "installed"), [(0.9, 1), (7.6, 8), (14.3, 15), (15.1, 16), (31.0, 31), (251.4, 256)]
)
def test_memory_is_that_which_is_installed(monkeypatch, shown, installed):
    pages = {"SC_PAGE_SIZE": 4096, "SC_PHYS_PAGES": shown * 2**30 / 4096}
    monkeypatch.setattr(environment.os, "sysconf", pages.__getitem__)
    assert environment._memory_gib() == installed
