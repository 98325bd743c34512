# SPDX-License-Identifier: BSD-3-Clause
"""The MPI libraries, and what Laneway's builds for them tell.

`installations` finds the libraries of a machine, `native` the builds, `loading` has these run with
libraries that they were not made for. `registry` lists their algorithms, `profile` has them read
profiles. `identity` is which library a launcher belongs to, `quirks` what is known of single
versions.
"""
