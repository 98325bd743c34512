# SPDX-License-Identifier: BSD-3-Clause
"""A program whose processes exchange data with their neighbours in a graph, under the preload."""

import pytest

from applications import reported, well
from jobs import BUILDS, ROOT, run

RANKS = 6
ITERATIONS = 3
ALGORITHMS = ("node_aware", "lane", "sparse")
MATRICES = {"grid": 12, "graph": 240}


def example(compiled, build):
    return compiled(build, ROOT / "examples" / "spmv.c", "-std=c11", with_laneway=False)


@pytest.mark.parametrize("build", BUILDS)
@pytest.mark.parametrize("matrix", MATRICES)
def test_products_of_a_sparse_matrix_are_right_by_every_algorithm(
    compiled, build, tmp_path, matrix
):
    program = example(compiled, build)
    words = [program, matrix, MATRICES[matrix], ITERATIONS]
    for algorithm in ALGORITHMS:
        # Where the library has no persistent form, the program calls the blocking one.
        chosen = f"neighbor_alltoallv={algorithm},neighbor_alltoallv_init={algorithm}"
        outcome = run(
            build,
            RANKS,
            words,
            preload=[build.preload],
            LANEWAY_NODE_SIZE=2,
            LANEWAY_ALGORITHM=chosen,
            LANEWAY_REPORT=tmp_path / algorithm,
        )
        assert well(outcome).endswith("; right")
        by = {
            name: server
            for name, server in reported(tmp_path / algorithm)
            if name.startswith("neighbor")
        }
        assert set(by.values()) == {algorithm}


@pytest.mark.parametrize("build", BUILDS)
def test_neighbours_are_the_library_s_by_default(compiled, build, tmp_path):
    words = [example(compiled, build), "graph", 240, ITERATIONS]
    outcome = run(build, RANKS, words, preload=[build.preload], LANEWAY_REPORT=tmp_path)
    assert well(outcome).endswith("; right")
    assert {server for name, server in reported(tmp_path) if name.startswith("neighbor")} == {
        "native"
    }
