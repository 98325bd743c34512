# SPDX-License-Identifier: BSD-3-Clause
"""What follows from measurements: which algorithm to use, the profile, the next command.

`recommendation` says what is confirmed, `profile` writes it down, `conclusion` tells both at the
end of a measurement, `next_commands` how to go on where it was made.
"""
