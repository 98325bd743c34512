# SPDX-License-Identifier: BSD-3-Clause
"""The parameters of the simulation, and models of latency, from measured times.

`regression` fits lines. `patterns` gathers the times of `laneway-bench --probe messages` and
`local-work`. `parameters` says what they mean, `description` writes the machine file. `synthetic`
has the times that a machine would have. `latency` fits models of a collective's time in processes
and bytes, `latency_cases` says which times belong to one.
"""
