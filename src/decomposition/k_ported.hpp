// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "collectives/calls.hpp"
#include "collectives/tunables.hpp"
#include "decomposition/components.hpp"

/// Nodes as processors with k ports: each process of a node sends to, or receives from, another node at
/// the same time (Traeff and Hunold 2020, Section 5).
namespace laneway {

/// Broadcasts a message as a whole, over nodes by a tree of the fewest rounds, ceil(log N / log(k+1)): in
/// each, a node that has the message sends it to k others, which share it out at home.
void broadcast_whole(const Bcast& call, const Decomposition& on);

/// For algorithms that cut messages into shares or leave the lanes to one process: what is so short that
/// latency alone counts travels as a whole.
constexpr Tunable whole_tunable{
    "whole",
    bytes_unit.data(),
    2048,
    0,
    1 << 30,
    "a message that travels as a whole, by k_ported: fewer rounds on the lanes, more bytes"};
inline bool is_whole(const Bcast& call, const Tunables& tunables)
{
    return call.data.count * size_of(call.data.type) <= tunables["whole"];
}

}  // namespace laneway
