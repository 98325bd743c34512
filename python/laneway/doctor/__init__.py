# SPDX-License-Identifier: BSD-3-Clause
"""Facts of this machine that would spoil a measurement, and what to do about them."""

from laneway.doctor.examination import examine
from laneway.doctor.finding import Finding, Status

__all__ = ["Finding", "Status", "examine"]
