// SPDX-License-Identifier: BSD-3-Clause
#include "own/library.hpp"

#include "mpi/recording.hpp"
#include "own/own.hpp"

namespace laneway::own {

const Library* Library::current()
{
    if (!current_ || saves_bytes()) return nullptr;
    const Recording* const recording = Recording::current();
    return recording && recording->is_in_child() ? nullptr : current_;
}

}  // namespace laneway::own
