# SPDX-License-Identifier: BSD-3-Clause
"""Completion in shells: of commands, options, and names that this installation knows."""

from types import SimpleNamespace

import pytest
from click.shell_completion import get_completion_class

from commands import laneway
from laneway.cli import cli
from laneway.cluster import cluster
from laneway.cluster.spec import ClusterSpec
from laneway.commands import COMPLETION, completion
from laneway.libraries import native


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shells_complete_commands(shell):
    assert "_LANEWAY_COMPLETE" in laneway("completion", shell).stdout


def completed(typed):
    """The words that a shell is offered for the last one of those that are typed."""
    command = get_completion_class("zsh")(cli, {}, "laneway", COMPLETION)
    *words, last = typed.split(" ")
    return {item.value for item in command.get_completions(words, last)}


@pytest.mark.skipif(not native.installed(), reason="no native build is installed")
@pytest.mark.parametrize(
    ("typed", "offered", "left_out"),
    [
        ("compare --mpi ", {native.installed()[0].id, native.installed()[0].family}, {""}),
        ("compare --mpi nosuch", set(), set()),
        ("compare --datatype do", {"double", "double_int"}, {"int"}),
        ("simulate --datatype 2", {"2int"}, {"int"}),
        ("compare MPI_Bcast --algorithm native,la", {"native,lane"}, {"native,lane_k_ported"}),
        ("exec --algorithm bcast=lan", {"bcast=lane"}, {"scan=lane"}),
        ("exec --algorithm bcast=lane,scan=la", {"bcast=lane,scan=lane"}, {"scan=lane"}),
        ("exec --algorithm bcast@la", {"bcast@lane=chain", "bcast@lane=native"}, {"bcast=chain"}),
        ("exec --algorithm bcast", {"bcast=chain"}, {"bcast@lane=chain"}),
        ("compare --op m", {"max", "min", "minloc", "maxloc"}, {"sum"}),
        ("bench bc", {"bcast"}, {"scan"}),
        ("bench bcast ping", {"pingpong", "pingping"}, {"bcast"}),
        ("bench sta", {"start"}, set()),
        ("bench bcast --algorithm native,lane_p", {"native,lane_pipeline"}, {"bcast"}),
        ("bench bcast -O max", {"max", "maxloc"}, set()),
        ("bench reduce -T 2", {"2int"}, {"int"}),
        ("bench bcast --m", {"--message-size", "--mpi", "--mem-limit"}, {"--algorithm"}),
        ("simulate --machine ju", {"jupiter", "juqueen"}, {"fugaku"}),
        ("simulate --native openmpi-4", {"openmpi-4.1", "openmpi-4.0"}, {"mpich-4.0"}),
        ("profile predict --native mpich", {"mpich-4.0"}, {"openmpi-4.1"}),
        ("machine show fu", {"fugaku"}, {"juqueen"}),
        ("machine check fugaku ju", {"juqueen"}, {"fugaku"}),
        ("machine gain ju", {"juqueen"}, {"fugaku"}),
        ("study multilane --machine hydra,ju", {"hydra,juqueen"}, {"juqueen"}),
        ("compare --predict ju", {"juqueen"}, {"fugaku"}),
        ("report x --predict ju", {"juqueen"}, {"fugaku"}),
        ("explain choice ba", {"barrier"}, {"bcast"}),
        ("explain choice MPI_Bc", {"bcast"}, {"bcast@lane"}),
        ("profile show bcast@", {"bcast@lane", "bcast@node"}, {"bcast"}),
        ("explain schedule bc", {"bcast"}, {"scan"}),
        ("explain schedule bcast --algorithm lane_p", {"lane_pipeline"}, {"lane_segmented"}),
        ("verify --algorithm lane_p", {"lane_pipeline"}, {"lane"}),
        ("model fit x --algorithm native,lane_p", {"native,lane_pipeline"}, {"lane_pipeline"}),
        ("scale bc", {"bcast"}, {"scan"}),
        ("plot x --figure time,ra", {"time,ratio"}, {"ratio"}),
        ("plot x --operation MPI_Bc", {"bcast"}, {"scan"}),
        ("plot x --reference h", {"hydra"}, {"juqueen"}),
        ("compare --cluster n", {"none"}, {"auto"}),
        ("cluster run --mpi ", {native.installed()[0].id, native.installed()[0].family}, {""}),
        ("compare bcast --algorithm lane,chain(s", {"lane,chain(segment="}, {"lane,chain"}),
        ("compare bcast --algorithm chain(order=1,s", {"chain(order=1,segment="}, {"chain"}),
        ("compare bcast --algorithm chain(segment=8K),la", {"chain(segment=8K),lane"}, {"lane"}),
        ("compare bcast --algorithm ch", {"chain"}, {"chain(segment="}),
        ("exec --algorithm bcast=chain(s", {"bcast=chain(segment="}, {"bcast=chain"}),
    ],
)
def test_shells_complete_values(typed, offered, left_out):
    found = completed(typed)
    assert offered <= found
    assert not left_out & found
    assert offered or not found


@pytest.mark.skipif(not native.installed(), reason="no native build is installed")
@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("exec --algorithm bcast = lan", "lane"),
        ("exec --algorithm = bcast = lan", "lane"),
        ("exec --algorithm = bc", "bcast=lane"),
        ("exec --algorithm bcast = lane --algorithm sc", "scan=lane"),
        ("exec --algorithm bcast =", "lane"),
        ("exec --algorithm bcast @ lane = ch", "chain"),
        ("exec --algorithm bcast @ la", "lane=chain"),
        ("exec --algorithm bcast @", "lane=chain"),
        ("exec --algorithm = bcast @ lane = ch", "chain"),
        ("exec --algorithm bcast=lan", "bcast=lane"),
        ("exec --algorithm bcast = lane,scan = lan", "lane"),
    ],
)
def test_bash_takes_words_apart_where_others_do_not(monkeypatch, words, offered):
    monkeypatch.setenv("COMP_WORDS", f"laneway {words}")
    monkeypatch.setenv("COMP_CWORD", str(len(words.split())))
    shell = completion.Bash(cli, {}, "laneway", COMPLETION)
    assert f"plain,{offered}" in shell.complete().splitlines()


def test_clusters_that_are_up_are_offered(monkeypatch):
    up = [cluster.Cluster(SimpleNamespace(spec=ClusterSpec("mine")))]
    monkeypatch.setattr(cluster.Cluster, "all", lambda: up)
    assert completed("compare --cluster ") == {"auto", "none", "mine"}


def test_without_a_build_nothing_is_offered_and_nothing_said(monkeypatch):
    monkeypatch.setattr(native, "installed", list)
    assert completed("compare --mpi ") == completed("compare --algorithm ") == set()
