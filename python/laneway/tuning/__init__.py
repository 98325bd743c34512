# SPDX-License-Identifier: BSD-3-Clause
"""Finding out which algorithm serves which call best, within a budget of time.

`stage` is what is measured in one go, `race` decides from times who goes on and where else to look,
`tuner` spends the budget on stages and ends with what is confirmed.
"""
