# SPDX-License-Identifier: BSD-3-Clause
"""Machines that are only described: the times of collectives on them (docs/simulation.md)."""
