# SPDX-License-Identifier: BSD-3-Clause
"""Probes: how many network lanes a machine really has, seen by plain MPI calls.

Modules, each above those it uses:

    cli        the command `laneway probe`
    show       the table and the figure
    verdict    what the figures say, in words
    campaign   what the benchmark is to measure
    summary    what is made of the rows
"""
