// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace laneway {

/// True where the process has loaded the runtime of an accelerator, so that the user's buffers may
/// lie in its memory. MPI libraries know how to move such data; operators of ours on host memory
/// and theirs must not meet.
bool has_device_runtime();

}  // namespace laneway
