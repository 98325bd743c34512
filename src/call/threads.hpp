// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace laneway {

/// Several threads of this process may call MPI at once, as far as the world is concerned.
bool may_call_in_threads();

/// The same from now on, whatever the program begins: a session may have more threads than the world, but MPICH's.
bool may_ever_call_in_threads();

}  // namespace laneway
