// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "carriers/simulated/delays.hpp"
#include "carriers/simulated/topology.hpp"

namespace laneway {

/// The time that bytes take, each of which takes `byte`.
inline Time work_of(std::int64_t bytes, double byte)
{
    return static_cast<Time>(std::llround(static_cast<double>(bytes) * byte));
}

/// A machine as the simulation sees it: the LogGP model (Alexandrov, Ionescu, Schauser, Scheiman, 1995) with
/// several lanes a node. The page docs/simulation.md says what is in it and what is not.
struct Machine {
    /// @name Lanes of a node, one for each direction; process j of a node is on lane j mod `lanes`
    /// @{
    int lanes = 1;
    double lane_byte = 0;  ///< time for a byte
    /// How many times slower each lane is, of one node, or of all nodes, node after node; empty: lanes are alike.
    std::vector<double> slower = {};
    Time lane_latency = 0;  ///< from when the first bit leaves to when it comes
    Time lane_message = 0;  ///< time for which a message occupies the lane besides its bytes
    Time lane_burst =
        0;  ///< time of bytes that pass at once after a pause: a token bucket, full at first.
    /// The time that a message takes besides, by its bytes. Sender and receiver of an eager message are at work for
    /// half of that time each: they copy in and out. A longer message, which adapters fetch, waits for that time before
    /// it occupies the lane.
    Delays lane_delays = {};
    bool by_receiver = false;  ///< a message leaves by its receiver's lane; else by its sender's
    bool fair = false;         ///< messages share a lane; else they follow each other
    /// @}

    Topology network{};  ///< between the lanes; where it is not flat, they have a `lane_byte`

    /// @name Within a node
    /// @{
    double node_byte = 0;  ///< time for a byte of all processes together
    Time node_latency = 0;
    Time socket_latency = 0;  ///< on top, between sockets.
    /// Time for a byte for which sender and receiver are at work each: they copy in and out of memory that they share.
    /// Messages longer than eager ones are copied by the receiver, from the sender's memory.
    double node_copy_byte = 0;
    /// Bytes of the pieces that messages are copied in. The receiver copies one out while the sender copies the next
    /// one in, and memory carries them meanwhile. 0: one thing after the other.
    std::int64_t node_fragment = 0;
    double node_pack_byte =
        0;  ///< time to copy a byte in or out of data with gaps; 0: data are packed, then copied
    /// @}

    /// @name Work of a process
    /// @{
    Time send = 0, receive = 0;  ///< for a message
    double reduce_byte = 0, copy_byte = 0;
    double pack_byte = 0;  ///< on top, for data that do not lie in a row
    /// @}

    /// @name Longer messages leave when both sides are ready, after a message there and one back
    /// @{
    std::int64_t lane_eager = std::numeric_limits<std::int64_t>::max();  ///< between nodes
    Time lane_handshake = 0;               ///< for these two messages; 0: two latencies
    std::int64_t node_eager = lane_eager;  ///< within a node
    Time node_handshake = 0;
    /// @}

    /// The factor by which a lane, numbered node after node, is slower than the fastest ones.
    double slowness(std::uint32_t lane) const
    {
        return slower.empty() ? 1 : slower[lane % slower.size()];
    }
    /// The time that a process works for a message besides `send` or `receive`.
    Time work_for(bool crossing, bool receives, std::int64_t bytes) const
    {
        if (crossing) return bytes <= lane_eager ? lane_delays.of(bytes) / 2 : 0;
        return bytes <= node_eager || receives ? work_of(bytes, node_copy_byte) : 0;
    }
    /// The time that packing takes besides.
    Time packing_for(bool crossing, bool receives, std::int64_t bytes) const
    {
        const bool copies = !crossing && (bytes <= node_eager || receives);
        return copies && node_pack_byte > 0
                   ? work_of(bytes, std::max(0.0, node_pack_byte - node_copy_byte))
                   : work_of(bytes, pack_byte);
    }
    /// Whether a message of a node is longer than a piece.
    bool in_pieces(bool crossing, std::int64_t bytes) const
    {
        return !crossing && node_fragment > 0 && bytes > node_fragment;
    }
    /// The time that a message that is not eager waits once both sides know of each other.
    Time waits(bool crossing, std::int64_t bytes) const
    {
        return crossing && bytes > lane_eager ? lane_delays.of(bytes) : 0;
    }
};

}  // namespace laneway
