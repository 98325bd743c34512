# SPDX-License-Identifier: BSD-3-Clause
"""Tests of a group share something: they run one after the other."""

import os

import pytest


@pytest.mark.skipif("PYTEST_XDIST_WORKER" not in os.environ, reason="one process runs all tests")
@pytest.mark.xdist_group("alone")
def test_who_shares_tests_out_knows_groups(request):
    assert request.node.nodeid.endswith("@alone")
