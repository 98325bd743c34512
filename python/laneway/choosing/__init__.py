# SPDX-License-Identifier: BSD-3-Clause
"""Conclusions from measurements: which algorithm to use, the profile, the next command.

`recommendation` says what is confirmed, `profile` writes it down, and `conclusion` tells both at
the end of a measurement. `next_commands` tells how to go on in the place of the measurement.
"""
