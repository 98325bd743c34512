# SPDX-License-Identifier: BSD-3-Clause
"""The least times that the lanes of nodes allow, whatever an algorithm does.

`floor` is the bound by bytes and messages together, `logp` the one by messages alone. `full_speed`
says what the times of a cluster in slow motion stand for, `one_node` what is gained where there are
no lanes.
"""
