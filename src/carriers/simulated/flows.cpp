// SPDX-License-Identifier: BSD-3-Clause
#include "carriers/simulated/flows.hpp"

#include <algorithm>
#include <cmath>

namespace laneway {

Flows::Flows(const std::vector<double>& capacities)
{
    links_.reserve(capacities.size());
    for (const double capacity : capacities) links_.push_back({.capacity = capacity, .flows = {}});
}

std::uint32_t Flows::begin(Time now, double work, std::span<const std::uint32_t> links)
{
    if (free_.empty()) {
        free_.push_back(static_cast<std::uint32_t>(flows_.size()));
        flows_.emplace_back();
    }
    const std::uint32_t number = free_.back();
    free_.pop_back();
    Flow& flow = flows_[number];
    flow.left = work;
    flow.rate = 0;
    flow.since = now;
    flow.held = 0;
    flow.is_held = false;
    flow.under_way = true;
    flow.links.assign(links.begin(), links.end());
    for (const std::uint32_t link : links) links_[link].flows.push_back(number);
    begun_.push_back(number);
    return number;
}

void Flows::end(std::uint32_t number)
{
    Flow& flow = flows_[number];
    flow.under_way = false;
    flow.due = never;
    for (const std::uint32_t each : flow.links) {
        Link& link = links_[each];
        if (link.narrow() && !std::exchange(link.loosened, true)) loosened_.push_back(each);
        *std::ranges::find(link.flows, number) = link.flows.back();
        link.flows.pop_back();
    }
    free_.push_back(number);
}

Time Flows::held(std::uint32_t number, Time now) const
{
    const Flow& flow = flows_[number];
    return flow.held + (flow.is_held ? now - flow.since : 0);
}

void Flows::share(Time now, const std::function<void(std::uint32_t, Time)>& tell)
{
    ++change_;
    reach();
    fill(now, tell);
}

/// Finds all flows whose rates may change, and the links between them.
void Flows::reach()
{
    reached_.clear();
    narrow_.clear();
    const auto add = [this](std::uint32_t number) {
        if (std::exchange(flows_[number].seen, change_) == change_) return;
        flows_[number].open = true;
        reached_.push_back(number);
    };
    for (const std::uint32_t flow : begun_)
        if (flows_[flow].under_way) add(flow);
    for (const std::uint32_t link : loosened_) {
        links_[link].loosened = false;
        for (const std::uint32_t flow : links_[link].flows) add(flow);
    }
    begun_.clear();
    loosened_.clear();
    // The list grows meanwhile.
    for (std::size_t at = 0; at < reached_.size(); ++at)  // NOLINT(modernize-loop-convert)
        for (const std::uint32_t number : flows_[reached_[at]].links) {
            Link& link = links_[number];
            if (!link.narrow() || std::exchange(link.seen, change_) == change_) continue;
            link.room = link.capacity;
            link.open = static_cast<std::uint32_t>(link.flows.size());
            narrow_.push_back(number);
            for (const std::uint32_t flow : link.flows) add(flow);
        }
}

void Flows::fill(Time now, const std::function<void(std::uint32_t, Time)>& tell)
{
    // The part that a link has for each of its flows only grows while others are served. So old entries come too
    // early, and go back.
    constexpr double alike = 1 + 1e-12;
    heap_.clear();
    for (const std::uint32_t link : narrow_) heap_.emplace_back(links_[link].part(), link);
    std::ranges::make_heap(heap_, std::greater<>());
    while (!heap_.empty()) {
        std::ranges::pop_heap(heap_, std::greater<>());
        const auto [part, number] = heap_.back();
        heap_.pop_back();
        if (links_[number].open == 0) continue;
        if (part >= 1) break;
        if (links_[number].part() > part * alike) {
            heap_.emplace_back(links_[number].part(), number);
            std::ranges::push_heap(heap_, std::greater<>());
            continue;
        }
        for (const std::uint32_t flow : links_[number].flows)
            if (flows_[flow].open) set(flow, part, number, now, tell);
    }
    for (const std::uint32_t flow : reached_)
        if (flows_[flow].open) set(flow, 1, none, now, tell);
}

void Flows::set(std::uint32_t number, double rate, std::uint32_t by, Time now,
                const std::function<void(std::uint32_t, Time)>& tell)
{
    Flow& flow = flows_[number];
    flow.open = false;
    for (const std::uint32_t each : flow.links)
        if (links_[each].seen == change_) {
            links_[each].room -= rate;
            --links_[each].open;
        }
    if (flow.is_held) flow.held += now - flow.since;
    flow.left = std::max(0.0, flow.left - flow.rate * static_cast<double>(now - flow.since));
    flow.since = now;
    flow.is_held = by < watched_;
    if (rate == flow.rate) return;
    flow.rate = rate;
    flow.due = now + static_cast<Time>(std::llround(flow.left / rate));
    tell(number, flow.due);
}

}  // namespace laneway
