// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

#include "carriers/simulated/flows.hpp"
#include "carriers/simulated/machine.hpp"
#include "carriers/simulated/topology.hpp"

namespace laneway {

/// Lanes with links between them. A message is a flow from the lane that it leaves by to the lane that it comes
/// by. It is on all of its way at once. Where lanes serve messages in turn, the next one leaves when the last
/// one is over. Messages share links, and the lane that they come by.
class Network {
public:
    Network(const Machine& machine, int nodes);

    /// The latency that the links of a way add.
    Time latency(int from, int to) const
    {
        return static_cast<Time>(routes_.hops(from, to)) * hop_;
    }

    /// A message that takes `work` on a lane is ready for its lane `out`. True: settle() is to be called at the
    /// end of this moment, which was not asked for before.
    bool leave(Time now, std::uint32_t message, std::uint32_t out, std::uint32_t in, Time work);

    /// Shares links anew, after all changes of a moment.
    void settle(Time now, const std::function<void(std::uint32_t flow, Time due)>& tell);

    bool is_due(std::uint32_t flow, Time now) const { return flows_.is_due(flow, now); }

    struct Ended {
        std::uint32_t message;
        Time began;
        Time held;  ///< for how long links held back it, and messages that it waited for
    };
    /// Ends a flow that is due; `asks` becomes true where leave() returns true.
    Ended end(Time now, std::uint32_t flow, bool& asks);

private:
    struct Waiting {
        std::uint32_t message, in;
        Time work;
        Time held;  ///< the lane's `held` when the message came
    };
    struct Flow {
        std::uint32_t message, out;
        Time began, held;
    };
    struct Lane {
        std::deque<Waiting> waiting;  ///< the first message is under way
        std::uint32_t flow = 0;       ///< the flow of that message
        Time held = 0;                ///< for how long links held back the messages before
    };
    void begin(Time now, std::uint32_t out, const Waiting& waiting);
    bool changed();

    const Routes routes_;
    const Time hop_;
    const std::uint32_t node_lanes_;
    const bool fair_;
    Flows flows_;
    std::vector<Flow> under_way_;  ///< by number of the flow
    std::vector<Lane> lanes_;      ///< by lane, where messages leave in turn
    std::vector<std::uint32_t> way_;
    bool changed_ = false;
};

}  // namespace laneway
