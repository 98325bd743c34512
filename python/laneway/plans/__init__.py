# SPDX-License-Identifier: BSD-3-Clause
"""Plans of campaigns: what is to be measured, and where.

`comparison` is the plan of `laneway compare`, `demo` the one for the machine at hand, `probe` that
of a probe. `plan_file` reads one from a file; `points` are the combinations that a plan asks for.
"""
