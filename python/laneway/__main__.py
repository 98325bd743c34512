# SPDX-License-Identifier: BSD-3-Clause
"""`python -m laneway` is the command `laneway`."""

from laneway.cli import main

main()
