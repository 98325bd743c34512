# SPDX-License-Identifier: BSD-3-Clause
"""A multi-lane cluster on one Linux machine.

Modules, each above those it uses:

    trust       measures what of a time is the network's, what this machine's own
    check       measures whether a cluster is what it says
    guard       takes a cluster down when its user has gone
    cluster     `Cluster`: up, attach, down, counters, launch_command
    launch      how each MPI library is started
    job         keeps the processes of a job together
    holder      the processes that a cluster consists of
    switch      the program that keeps latency and gap: starts and asks it
    links       bridges, interfaces
    shaper      rate limits, turns
    state       where clusters are written down
    namespaces  system calls
    pace        the options that say how fast lanes are
    spec        nodes, lanes, rates, latencies, addresses
"""
