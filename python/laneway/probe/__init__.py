# SPDX-License-Identifier: BSD-3-Clause
"""Probes: how many network lanes a machine really has, seen by plain MPI calls.

`summary` summarises the rows, `verdict` says it in words, `show` in a table and a figure.
"""
