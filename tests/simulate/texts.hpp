// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <memory>
#include <numeric>
#include <vector>

#include "carriers/simulated/simulated.hpp"
#include "data/segments.hpp"
#include "decomposition/decomposition.hpp"
#include "layout/layout.hpp"
#include "layout/order.hpp"
#include "messages/messages.hpp"
#include "patterns/tree.hpp"
#include "schedule/address.hpp"
#include "schedule/recorder.hpp"
#include "schedule/schedule.hpp"
#include "walks/down.hpp"
#include "walks/links.hpp"

/// Small texts, recorded on layouts of so many processes a node.
namespace laneway::simulate {

using Text = std::function<void(const Decomposition& on)>;

inline std::shared_ptr<const Layout> layout_of(const std::vector<int>& sizes,
                                               const NetworkLanes& lanes = 1)
{
    Nodes nodes;
    int ranks = 0;
    for (const int size : sizes) {
        auto& members = nodes.emplace_back(static_cast<std::size_t>(size));
        std::iota(members.begin(), members.end(), ranks);
        ranks += size;
    }
    return std::make_shared<const Layout>(nodes, lanes);
}

inline Schedule recorded(const std::shared_ptr<const Layout>& layout, const Text& text,
                         bool saves_bytes = false)
{
    Schedule schedule;
    for (int rank = 0; rank < layout->ranks(); ++rank) {
        const Parts parts(layout, rank);
        const Decomposition on(parts);
        Recorder recorder(on.world, 1, on.tags(), saves_bytes);
        text(on);
        schedule.add(recorder.take());
    }
    schedule.match();
    return schedule;
}

/// A machine on which everything takes its time.
constexpr Machine example()
{
    return {.lanes = 2,
            .lane_byte = 80,
            .lane_latency = 2'000'000,
            .lane_message = 50'000,
            .node_byte = 10,
            .node_latency = 300'000,
            .send = 100'000,
            .receive = 150'000,
            .reduce_byte = 100,
            .copy_byte = 60,
            .pack_byte = 30};
}

inline Buffer bytes(std::int64_t count) { return {symbolic::address(0), count, MPI_BYTE, 1}; }

/// From rank 0, by rank.
inline void binomial_bcast(const Buffer& data, const Comm& comm)
{
    const Order order(0, comm.size());
    send_down(data, whole_message, links_of(tree::binomial(comm.rank(), comm.size()), order, comm));
}

inline void send(const Decomposition& on, std::int64_t count, int to)
{
    Messages messages(on.world);
    messages.send(bytes(count), to, 0);
    messages.wait();
}

inline void receive(const Decomposition& on, std::int64_t count, int from)
{
    Messages messages(on.world);
    messages.receive(bytes(count), from, 0);
    messages.wait();
}

inline std::vector<Time> ends(const Schedule& schedule, const Layout& layout,
                              const Machine& machine)
{
    Simulated simulated(schedule, layout, machine);
    simulated.run();
    return simulated.ends();
}

inline Time end(const std::shared_ptr<const Layout>& layout, const Machine& machine,
                const Text& text)
{
    return std::ranges::max(ends(recorded(layout, text), *layout, machine));
}

}  // namespace laneway::simulate
