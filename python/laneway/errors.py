# SPDX-License-Identifier: BSD-3-Clause
"""What the user is told in one line on standard error."""


class Problem(Exception):  # noqa: N818 - it is what the user has, not a defect of ours
    """Something outside our control failed; the message says what, and what to do about it."""

    exit_code = 1


class Misuse(Problem):
    """The command line asks for something that does not exist or makes no sense."""

    exit_code = 2
