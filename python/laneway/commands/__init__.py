# SPDX-License-Identifier: BSD-3-Clause
"""The subcommands of `laneway`, a module each. To add one: its module, and its line here."""

from __future__ import annotations

import click

from laneway.cluster.cli import cluster
from laneway.commands.algorithms import algorithms_command
from laneway.commands.bench import bench_command
from laneway.commands.campaign import campaign
from laneway.commands.compare import compare_command
from laneway.commands.decisions import decisions_command
from laneway.commands.demo import demo_command
from laneway.commands.doctor import doctor_command
from laneway.commands.exec import env_command, exec_command
from laneway.commands.prefix import prefix_command
from laneway.commands.probe import probe_command
from laneway.commands.profile import profile_group
from laneway.commands.report import plot_command, report_command
from laneway.commands.verify import verify_command

COMMANDS: tuple[click.Command, ...] = (
    algorithms_command,
    bench_command,
    campaign,
    cluster,
    compare_command,
    decisions_command,
    demo_command,
    doctor_command,
    env_command,
    exec_command,
    plot_command,
    prefix_command,
    probe_command,
    report_command,
    profile_group,
    verify_command,
)
