// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <poll.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "switch/addresses.hpp"
#include "switch/fabric.hpp"
#include "switch/lateness.hpp"
#include "switch/pace.hpp"
#include "switch/port.hpp"
#include "switch/reporter.hpp"
#include "switch/ring.hpp"

namespace laneway::lanes {

/// The switch of all lanes of a cluster. It takes every frame from the node that sends it. When the lanes' pace says
/// so, it gives the frame to the node that receives it.
class Switch {
public:
    /// A switch in the network namespace of the cluster's login node. Throws std::system_error.
    Switch(const Layout& layout, const Pace& pace, const Sending& sending, const Ring& ring);

    /// Says under which policy of the kernel's scheduler the switch runs, to be told to whoever asks.
    void scheduling(std::string_view policy) { scheduling_ = policy; }

    /// Carries frames; never returns.
    [[noreturn]] void run();

private:
    void receive();
    void deliver(std::size_t to, Time due, const Frame& frame);
    void wait();
    void listen(Time end);
    std::string status();

    Layout layout_;
    Fabric fabric_;
    Time pause_;  ///< The longest sleep while frames are under way.
    std::vector<Port> ports_;
    std::vector<std::uint64_t> dropped_;  ///< Frames that were dropped for want of room, by port.
    Lateness lateness_;
    Reporter reporter_;
    Time received_ = 0;           ///< The time when frames were last looked for.
    Time asked_ = 0;              ///< The time when somebody could last ask.
    std::vector<pollfd> polled_;  ///< All ports, and at the end the reporter.
    std::string_view scheduling_ = "SCHED_OTHER";
};

}  // namespace laneway::lanes
