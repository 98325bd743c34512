// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace laneway {

/// Whether the user's buffers may lie in the memory of an accelerator. Then the process has loaded the
/// runtime of one, or uses one through a driver. MPI libraries know how to move such data; operators
/// of ours on host memory and theirs must not meet.
bool uses_devices();

/// As above, to be asked in every call: it costs next to nothing as long as the process loads nothing more. Once true,
/// it stays so.
bool uses_devices_by_now();

}  // namespace laneway
