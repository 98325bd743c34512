# SPDX-License-Identifier: BSD-3-Clause
"""Machines that are only described: what collectives would take there (docs/simulation.md)."""
