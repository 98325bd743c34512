# SPDX-License-Identifier: BSD-3-Clause
"""What several subcommands have in common.

`options` and `launchers` are options, `parameters` the kinds of their values, `console` and `forms`
how is printed, `plans`, `measuring` and `progress` how a plan is carried out, `closing` the last
lines.
"""
