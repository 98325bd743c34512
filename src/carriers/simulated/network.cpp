// SPDX-License-Identifier: BSD-3-Clause
#include "carriers/simulated/network.hpp"

#include <utility>

namespace laneway {
namespace {

/// How many lanes each link is worth: links by their numbers, then the lanes by which messages leave, then those
/// by which they come.
std::vector<double> capacities(std::uint32_t links, std::uint32_t lanes, const Machine& machine)
{
    std::vector<double> all(links, machine.lane_byte / machine.network.link_byte);
    all.resize(std::size_t{links} + 2 * std::size_t{lanes}, 1);
    return all;
}

}  // namespace

Network::Network(const Machine& machine, int nodes)
    : routes_(machine.network, nodes),
      hop_(machine.network.hop),
      node_lanes_(static_cast<std::uint32_t>(machine.lanes)),
      fair_(machine.fair),
      flows_(capacities(routes_.links(), static_cast<std::uint32_t>(nodes) * node_lanes_, machine)),
      lanes_(static_cast<std::size_t>(nodes) * node_lanes_)
{
    flows_.set_watched(routes_.links());
}

bool Network::leave(Time now, std::uint32_t message, std::uint32_t out, std::uint32_t in, Time work)
{
    Waiting waiting{message, in, work, 0};
    if (!fair_) {
        Lane& lane = lanes_[out];
        const bool waits = !lane.waiting.empty();
        waiting.held = lane.held + (waits ? flows_.held(lane.flow, now) : 0);
        lane.waiting.push_back(waiting);
        if (waits) return false;
    }
    begin(now, out, waiting);
    return changed();
}

void Network::begin(Time now, std::uint32_t out, const Waiting& waiting)
{
    way_.clear();
    routes_.add(static_cast<int>(out / node_lanes_), static_cast<int>(waiting.in / node_lanes_),
                waiting.in, way_);
    way_.push_back(routes_.links() + out);
    way_.push_back(routes_.links() + static_cast<std::uint32_t>(lanes_.size()) + waiting.in);
    const std::uint32_t flow = flows_.begin(now, static_cast<double>(waiting.work), way_);
    if (flow >= under_way_.size()) under_way_.resize(flow + 1);
    under_way_[flow] = {waiting.message, out, now, waiting.held};
    lanes_[out].flow = flow;
}

void Network::settle(Time now, const std::function<void(std::uint32_t, Time)>& tell)
{
    changed_ = false;
    flows_.share(now, tell);
}

Network::Ended Network::end(Time now, std::uint32_t flow, bool& asks)
{
    const Flow ended = under_way_[flow];
    Time held = flows_.held(flow, now);
    flows_.end(flow);
    if (!fair_) {
        Lane& lane = lanes_[ended.out];
        lane.held += held;
        held = lane.held - ended.held;
        lane.waiting.pop_front();
        if (!lane.waiting.empty()) begin(now, ended.out, lane.waiting.front());
    }
    asks = changed();
    return {ended.message, ended.began, held};
}

bool Network::changed() { return !std::exchange(changed_, true); }

}  // namespace laneway
