# SPDX-License-Identifier: BSD-3-Clause
"""The parts that several subcommands have in common.

`options` and `launchers` are options, `parameters` the kinds of their values. `console` and `forms`
print, `plans`, `measuring` and `progress` carry a plan out, and `closing` has the last lines.
"""
