# SPDX-License-Identifier: BSD-3-Clause
"""Running a command as a child that cannot be told from being run directly."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from typing import NoReturn

from laneway.errors import NotRunError

PASSED_ON = {
    signal.SIGHUP,
    signal.SIGINT,
    signal.SIGQUIT,
    signal.SIGTERM,
    signal.SIGUSR1,
    signal.SIGUSR2,
}
_FROM_KERNEL = 0x80
"""si_code of the signals that a terminal sends: to the child as well, which is in its group."""


def run(command: Sequence[str], environment: Mapping[str, str]) -> int:
    """Runs a command to its end and returns its exit code; negative: the signal that ended it.

    Signals sent to this process are passed on. Raises NotRunError where it cannot be run.
    """
    watched = PASSED_ON | {signal.SIGCHLD}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, watched)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # a parent may have had it ignored
    try:
        child = subprocess.Popen(
            command,
            env=dict(environment),
            preexec_fn=lambda: signal.pthread_sigmask(signal.SIG_SETMASK, before),  # noqa: PLW1509
        )
        while (code := child.poll()) is None:
            arrived = signal.sigwaitinfo(watched)
            if arrived.si_signo != signal.SIGCHLD and arrived.si_code != _FROM_KERNEL:
                child.send_signal(arrived.si_signo)
    except OSError as error:
        raise NotRunError(command[0], error) from error
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    return code


def end_like(code: int) -> NoReturn:
    """Ends this process as `run` found the command to have ended."""
    if code < 0:
        sys.stdout.flush()
        if -code not in (signal.SIGKILL, signal.SIGSTOP):
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    sys.exit(code)
