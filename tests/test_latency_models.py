# SPDX-License-Identifier: BSD-3-Clause
"""Latency models: what synthetic times of known coefficients, with noise, are fitted by."""

import json
import math
import random

import pytest
from click.testing import CliRunner

from laneway.calibration.latency import Observation, fit
from laneway.cli import cli
from laneway.errors import Problem

PROCESSES = (2, 4, 8, 16, 32, 48, 64, 80, 96, 112, 128, 144, 160, 176, 192, 208, 224, 240, 256)
SIZES = (1, 64, 1024, 4096, 8192, 16384, 65536, 262144, 1048576)
NOISE = 0.05


def observed(terms, processes=PROCESSES, sizes=(1,), seed=1, times=40):
    """Times that terms have, by their names, each with noise of 5%."""
    noise = random.Random(seed)  # noqa: S311
    return [
        Observation(p, m, value(terms, p, m) * (1 + noise.gauss(0, NOISE)))
        for p in processes
        for m in sizes
        for _ in range(times)
    ]


def value(terms, p, m):
    names = {"p": p, "m": m, "log2(p)": math.log2(p), "(Intercept)": 1}
    total = 0.0
    for name, coefficient in terms.items():
        product = coefficient
        for factor in name.split(" : "):
            if ">" in factor:
                variable, _, bound = factor.partition(" > ")
                product *= names[variable] > int(bound)
            else:
                product *= names[factor]
        total += product
    return total


MODELS = {
    "reduce, linear, by socket": (
        {"p": 0.0658, "p > 128": 13.6566, "p : p > 128": -0.1142},
        (1,),
    ),
    "bcast, pipeline, by node": ({"p": 1.3682}, (1,)),
    "reduce, binary, by node": ({"(Intercept)": 0.8476, "p": 0.0076}, (1,)),
    "rounds and bytes": ({"(Intercept)": 3, "log2(p)": 2, "m": 1e-3}, SIZES),
    "another protocol, a second node": (
        {"(Intercept)": 3, "p": 0.5, "m": 1e-3, "m > 8192": 40, "p : p > 128": 0.5},
        SIZES,
    ),
    "interaction": ({"p": 2, "p : m": 1e-3, "m : m > 65536": 5e-2}, SIZES),
}
"""The first three with the published coefficients of paper 003's tables."""


@pytest.mark.parametrize("name", MODELS)
def test_known_coefficients_and_breakpoints_are_found(name):
    terms, sizes = MODELS[name]
    times = 40 if len(sizes) == 1 else 12
    model = fit(observed(terms, sizes=sizes, times=times))
    found = {str(each.term): each.estimate for each in model.coefficients}
    assert found.keys() == terms.keys()
    for term, coefficient in terms.items():
        assert found[term] == pytest.approx(coefficient, rel=0.02), term
    assert model.residual == pytest.approx(NOISE, rel=0.1)
    assert model.r_squared > 0.95


@pytest.mark.full
@pytest.mark.parametrize("seed", range(2, 22))
@pytest.mark.parametrize("name", MODELS)
def test_breakpoints_lie_within_a_sampled_size(name, seed):
    """Also with few times each."""
    terms, sizes = MODELS[name]
    model = fit(observed(terms, sizes=sizes, seed=seed, times=3))
    true = {factor for term in terms for factor in term.split(" : ") if ">" in factor}
    assert len(model.breaks) >= len(true)
    for each in true:
        variable, _, bound = each.partition(" > ")
        order = PROCESSES if variable == "p" else sizes
        places = [order.index(own.value) for own in model.breaks if own.variable == variable]
        assert min(abs(place - order.index(int(bound))) for place in places) <= 1


def test_times_beyond_what_was_seen_lie_in_their_interval():
    terms = {"(Intercept)": 3, "log2(p)": 2, "m": 1e-3}
    inside = 0
    for seed in range(40):
        model = fit(observed(terms, PROCESSES[:9], (1, 1024, 65536), seed, times=2))
        noise = random.Random(1000 + seed)  # noqa: S311
        told = model.predict(1024, 16384)
        time = value(terms, 1024, 16384) * (1 + noise.gauss(0, NOISE))
        inside += told.low_us <= time <= told.high_us
    assert inside >= 36


def test_few_times_have_no_model():
    with pytest.raises(Problem, match="needs times of 3"):
        fit([Observation(2, 1, 1.0), Observation(4, 1, 2.0)])


def test_exact_times_get_no_more_terms_than_they_need():
    times = [Observation(p, 1, 3 + 0.5 * p) for p in PROCESSES]
    model = fit(times)
    assert [str(each.term) for each in model.coefficients] == ["(Intercept)", "p"]
    assert model.breaks == ()


def rows(path):
    noise = random.Random(5)  # noqa: S311
    with path.open("w") as file:
        for run in range(1, 5):
            for nodes in (2, 4, 8, 16, 32, 48):
                for algorithm, slope in (("chain", 0.7), ("linear", 0.2)):
                    row = {
                        "kind": "sample", "run": run, "collective": "bcast",
                        "algorithm": algorithm, "count": 1, "datatype": "byte", "bytes": 1,
                        "nodes": nodes, "ppn": 4, "ranks": 4 * nodes, "lanes": 2,
                        "library": "Open MPI 4.1.4", "binding": "all", "root": 0,
                        "placement": "cyclic",
                        "time_us": slope * nodes * 4 * (1 + noise.gauss(0, NOISE)),
                    }  # fmt: skip
                    file.write(json.dumps(row) + "\n")
    return path


def test_the_command_tells_models_and_predictions(tmp_path):
    path = rows(tmp_path / "rows.jsonl")
    picture = tmp_path / "model.svg"
    words = ["model", "fit", str(path), "--algorithm", "chain", "--processes", "512"]
    said = CliRunner().invoke(cli, [*words, "--plot", str(picture), "--json"])
    assert said.exit_code == 0, said.output
    (found,) = map(json.loads, said.stdout.splitlines())
    assert found["algorithm"] == "chain"
    assert found["placement"] == "cyclic"
    (term,) = found["terms"]
    assert term["term"] == "p"
    assert term["estimate_us"] == pytest.approx(0.7, rel=0.03)
    (prediction,) = found["predictions"]
    assert prediction["low_us"] < 0.7 * 512 < prediction["high_us"]
    assert picture.read_text().startswith("<?xml")
    text = CliRunner().invoke(cli, ["model", "fit", str(path)]).stdout
    assert "linear" in text
    assert "p > 128 is 1" in text


def test_the_command_says_where_there_is_too_little(tmp_path):
    path = rows(tmp_path / "rows.jsonl")
    said = CliRunner().invoke(cli, ["model", "fit", str(path), "--algorithm", "ring"])
    assert "too few" in str(said.exception)
