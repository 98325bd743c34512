# SPDX-License-Identifier: BSD-3-Clause
"""What of this machine would spoil a measurement, and what to do about it."""

from laneway.doctor.examination import examine
from laneway.doctor.finding import Finding, Status

__all__ = ["Finding", "Status", "examine"]
