// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "data/buffer.hpp"
#include "messages/comm.hpp"
#include "messages/messages.hpp"
#include "messages/pmpi.hpp"

namespace laneway {

/// Which way blocks go between a root and the others. A gather is a scatter backwards, so the same code serves both. It
/// is written as that of the scatter, from the root outwards; the side that is nearer to the root is `inner`.
struct Way {
    bool out;

    /// The phases of the algorithm: inwards, the last one comes first.
    template <class First, class... Rest>
    void phases(const First& first, const Rest&... rest) const
    {
        if (out) first();
        if constexpr (sizeof...(rest) > 0) phases(rest...);
        if (!out) first();
    }

    /// @name A message between an inner and an outer process, as begun by the one that has the other as its peer
    /// @{
    void with_outer(Messages& messages, const Buffer& data, int peer, int tag = 0) const
    {
        out ? messages.send(data, peer, tag) : messages.receive(data, peer, tag);
    }
    void with_inner(Messages& messages, const Buffer& data, int peer, int tag = 0) const
    {
        out ? messages.receive(data, peer, tag) : messages.send(data, peer, tag);
    }
    /// @}

    /// Copies on a process that has both sides, unless they are one.
    void copy(const Buffer& inner, const Buffer& outer, const Comm& comm) const
    {
        if (inner.data == outer.data) return;
        out ? pmpi::copy(inner, outer, comm) : pmpi::copy(outer, inner, comm);
    }
};

inline constexpr Way outwards{true}, inwards{false};

}  // namespace laneway
