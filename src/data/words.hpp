// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <type_traits>

namespace laneway {

/// An argument as the preload passes it on: an integer or an address, unread.
using Word = std::intptr_t;

/// The handle that an argument is, whatever mpi.h makes of handles.
template <class Handle>
Handle handle_in(Word word)
{
    if constexpr (std::is_pointer_v<Handle>)
        return reinterpret_cast<Handle>(word);
    else
        return static_cast<Handle>(word);
}

}  // namespace laneway
