# SPDX-License-Identifier: BSD-3-Clause
"""Machines described by what is measured on them: the parameters of the simulation.

`regression` fits lines, `patterns` gathers the times of `laneway-bench --probe messages` and
`local-work`, `parameters` says what they mean, `description` writes the machine file, `synthetic`
has the times that a machine would have.
"""
