# SPDX-License-Identifier: BSD-3-Clause
"""Where jobs run: on which cluster, over which lanes, under which bindings native is measured."""

import click
import pytest

from jobs import BUILDS
from laneway.cluster.cluster import Cluster, ClusterError
from laneway.cluster.spec import ClusterSpec
from laneway.commands.shared import options
from laneway.errors import Misuse, Problem
from laneway.launching import allocation
from laneway.launching.allocation import Wanted
from laneway.launching.place import Place, Setting
from laneway.libraries import native
from laneway.plans import comparison

pytestmark = pytest.mark.usefixtures("own_clusters")


def settled(**wanted):
    """The settings, and what was said about them."""
    said = []
    with allocation.settings(Wanted(**wanted), said.append) as settings:
        up = {cluster.spec.name for cluster in Cluster.all()}
    return settings, said, up


def test_without_namespaces_it_falls_back_to_virtual_nodes_and_says_why(monkeypatch):
    def refuse(spec):
        raise ClusterError("the kernel refuses network namespaces")

    monkeypatch.setattr(Cluster, "up", refuse)
    (setting,), (said,), _ = settled(nodes=3, ppn=2)
    assert setting.place == Place(3, 2)
    assert setting.place.machine == "3 virtual nodes on this machine, without a network"
    assert said.startswith("virtual nodes instead of a cluster")
    assert "the kernel refuses network namespaces" in said
    with pytest.raises(Problem, match="--realtime needs a cluster"):
        settled(realtime=True)
    with pytest.raises(Problem, match="--latency needs a cluster"):
        settled(pace={"latency": 10**6})
    with pytest.raises(Misuse, match="--gap: only an emulated cluster's lanes"):
        settled(cluster="none", pace={"gap": 10**5})


def test_a_launcher_with_options_of_the_users_gets_no_cluster():
    (setting,), said, up = settled(options=("--hostfile", "hosts"), ppn=2, binding="pinned")
    assert setting.place.cluster is None
    assert setting.place.machine == "2 nodes, as the launcher's options say"
    assert setting.binding == "pinned"
    assert not said
    assert not up


def test_clusters_made_for_it_are_taken_down_even_after_an_error(can_make_clusters):
    settings, said, up = settled(nodes=1, lanes=(1, 2))
    assert [setting.lanes for setting in settings] == [1, 2]
    assert [setting.binding for setting in settings] == ["lane", "lane"]
    assert len(up) == 2
    assert not said
    assert not Cluster.all()
    with pytest.raises(KeyboardInterrupt):
        _interrupted_on_a_cluster()
    assert not Cluster.all()


def _interrupted_on_a_cluster():
    with allocation.settings(Wanted(nodes=1), print):
        assert Cluster.all()
        raise KeyboardInterrupt


def test_a_cluster_that_is_up_is_used_where_it_fits(two_lanes):
    (setting,), said, up = settled()
    assert setting.place.cluster.spec == two_lanes.spec
    assert (setting.place.nodes, setting.lanes, setting.binding) == (2, 2, "lane")
    assert not said
    assert up == {"up"}

    control, both = settled(lanes=(1, 2))[0]
    assert (control.lanes, control.binding) == (1, "one")
    assert (both.lanes, both.binding) == (2, "lane")

    with pytest.raises(Misuse, match="cluster 'up' has rate 100mbit, not 50mbit"):
        settled(cluster="up", pace={"rate": 5 * 10**7})
    (setting,), (said,), up = settled(nodes=3)
    assert setting.place.cluster.spec.name != "up"
    assert "cluster 'up' has 2 nodes, not 3" in said
    assert len(up) == 2
    assert [cluster.spec.name for cluster in Cluster.all()] == ["up"]
    with pytest.raises(Misuse, match="has 2 nodes, not 3"):
        settled(cluster="up", nodes=3)
    with pytest.raises(Misuse, match="--lanes can be 2, or 1"):
        settled(cluster="up", lanes=(4,))


def test_a_sick_lane_is_wanted_or_not(two_lanes):
    usual, sick = (10**8, 10**8), (10**8, 10**7)
    (setting,), (said,), _ = settled(rates=(usual, sick), nodes=2)
    assert setting.place.cluster.state.rates == (usual, sick)
    assert "has lanes of 100mbit, not" in said
    two_lanes.set_rate("node1", 1, 10**7)
    (setting,), said, up = settled(rates=(usual, sick))
    assert (setting.place.cluster.spec.name, said, up) == ("up", [], {"up"})
    with pytest.raises(Misuse, match=r"has lanes of .*, not 100mbit"):
        settled(cluster="up", pace={"rate": 10**8})


def test_fewer_nodes_are_the_first_of_a_cluster(two_lanes):
    (setting,), said, _ = settled(nodes=1, ppn=3)
    assert setting.place.cluster.spec == two_lanes.spec
    assert setting.place.processes == (3,)
    assert not said
    command = setting.place.job(native.installed()[0], ["true"], 2, "lane").command()
    assert any("node0:3" in word for word in command)
    assert not any("node1" in word for word in command)


def test_nodes_are_unequal_where_that_is_asked_for(can_make_clusters):
    (setting,), said, _ = settled(unequal=(2, 2, 1))
    assert setting.place.processes == (2, 2, 1)
    assert (setting.place.ranks, setting.place.ppn, setting.place.shape) == (5, 2, "2+2+1")
    assert not said
    with pytest.raises(Misuse, match="--unequal tells of 2 nodes, --nodes of 3"):
        settled(unequal=(2, 1), nodes=3)
    with pytest.raises(Misuse, match="--unequal or --ppn, not both"):
        settled(unequal=(2, 1), ppn=2)
    with pytest.raises(Misuse, match="only an emulated cluster's nodes"):
        settled(unequal=(2, 1), cluster="none")


def test_a_cluster_with_unequal_nodes_serves_where_they_need_not_be_equal(can_make_clusters):
    with Cluster.up(ClusterSpec("up", nodes=2, lanes=1, slots=(2, 1))):
        (setting,), said, _ = settled()
        assert setting.place.processes == (2, 1)
        assert not said
        (setting,), (said,), _ = settled(equal=True)
        assert setting.place.processes == (4, 4, 4, 4)
        assert "has unequal nodes: equal ones are needed" in said
        with pytest.raises(Misuse, match="do not have 1,2 processes"):
            settled(cluster="up", unequal=(1, 2))
        with pytest.raises(Misuse, match="has 2,1 processes on its nodes, not 2 each"):
            settled(cluster="up", ppn=2)


# ---- what is measured -----------------------------------------------------------------------


@pytest.mark.parametrize("build", BUILDS)
def test_native_is_measured_under_the_bindings_asked_for(build, two_lanes):
    on_two = Setting(Place(2, 2, two_lanes), 2, "lane")
    control = Setting(Place(2, 2, two_lanes), 1, "one")
    virtual = Setting(Place(2, 2))

    def chosen(native_binding, algorithms=("all",), settings=(on_two,)):
        arms = comparison.arms(settings, algorithms, native_binding, build, print)
        return [(arm.setting.lanes, arm.setting.binding, [*arm.algorithms]) for arm in arms]

    both = [(2, "lane", ["all", "native"][:1]), (2, "all", ["native"])]
    assert chosen("best") == both
    assert chosen("lane") == chosen(None) == both[:1]
    assert chosen("best", ["lane"]) == [(2, "lane", ["lane", "native"]), both[1]]
    assert chosen("all", ["lane"]) == [(2, "lane", ["lane"]), both[1]]
    assert chosen("all", ["native"]) == both[1:]
    (_, _, names), _ = chosen("all")
    assert "lane" in names
    assert "native" not in names
    assert chosen("best", settings=[control]) == [(1, "one", ["all"])]
    assert chosen("best", settings=[virtual]) == [(None, "all", ["all"])]


def test_a_binding_that_a_library_cannot_have_is_left_out_of_best(two_lanes, monkeypatch):
    def refuse(self, build, program, lanes, binding):
        if binding == "all":
            raise Problem("one device for each rank")

    monkeypatch.setattr(Place, "job", refuse)
    setting = Setting(Place(2, 2, two_lanes), 2, "lane")
    said = []
    (arm,) = comparison.arms([setting], ["all"], "best", native.find(), said.append)
    assert arm.setting == setting
    assert "binding lane only: one device" in said[0]
    with pytest.raises(Problem, match="one device"):
        comparison.arms([setting], ["all"], "all", native.find(), said.append)


def test_what_no_binding_mends_is_said_once(two_lanes, monkeypatch):
    def refuse(self, build, program, lanes, binding):
        raise Problem("needs root")

    monkeypatch.setattr(Place, "job", refuse)
    said = []
    with pytest.raises(Problem, match="needs root"):
        comparison.arms(
            [Setting(Place(2, 2, two_lanes), 2, "lane")],
            ["all"],
            "best",
            native.find(),
            said.append,
        )
    assert said == []


def test_processes_and_threads_are_places_of_their_own():
    """`--ppn 4,1 --threads 3`: four processes, one, and one with three threads."""
    given = []

    @options.placed_by_processes
    def command(*, wanted, **_):
        given.extend((each.ppn, each.threads) for each in wanted)

    click.command()(command).main(["--ppn", "4,1", "--threads", "3"], standalone_mode=False)
    assert given == [(4, 1), (1, 1), (1, 3)]
