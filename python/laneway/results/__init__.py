# SPDX-License-Identifier: BSD-3-Clause
"""Results to look at: measured ones, those of other benchmarks, published ones.

`measurements` reads campaigns back and checks them. `imports` makes campaigns of what OSU's and
IMB's benchmarks printed. `reference` has the times of others where an extra brings them.
"""
