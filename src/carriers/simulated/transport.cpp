// SPDX-License-Identifier: BSD-3-Clause
#include "carriers/simulated/transport.hpp"

#include <algorithm>
#include <cstddef>

namespace laneway {

Transport::Transport(const Schedule& schedule, const Places& places, const Machine& machine,
                     EventQueue& queue, Listener& listener, Trace* trace)
    : schedule_(schedule),
      places_(places),
      machine_(machine),
      queue_(queue),
      listener_(listener),
      trace_(trace)
{
    const auto links = static_cast<std::size_t>(places.nodes()) *
                       (2 * static_cast<std::size_t>(machine.lanes) + 1);
    busy_.assign(links, 0);
    if (machine.fair)
        fair_.resize(links);
    else
        free_.assign(links, 0);
    if (machine.lane_burst > 0) buckets_.resize(links);
    if (machine.fair || machine.lane_burst > 0) passed_.assign(schedule.messages().size(), unknown);
    if (std::min(machine.lane_eager, machine.node_eager) != Machine{}.lane_eager)
        posted_.assign(schedule.messages().size(), unknown);
    if (machine.network.kind != Topology::Kind::flat)
        network_ = std::make_unique<Network>(machine, places.nodes());
}

void Transport::happen(Kind kind, std::uint32_t about, Time now)
{
    switch (kind) {
    case Kind::wake:
        break;
    case Kind::leave:
        return leave(about, now);
    case Kind::arrive:
        return arrive(about, now);
    case Kind::serve:
        return serve(about, now);
    case Kind::flow:
        return flow(about, now);
    case Kind::settle:
        return network_->settle(
            now, [this](std::uint32_t flow, Time due) { push(due, Kind::flow, flow); });
    }
}

void Transport::post(std::uint32_t message, Time time)
{
    const Schedule::Step& step = schedule_.step_of(message);
    const bool sends = step.kind == Operation::Kind::send;
    const int rank = schedule_.rank_of(message);
    const bool crossing = places_.crosses(rank, step.peer);
    if (step.bytes <= (crossing ? machine_.lane_eager : machine_.node_eager)) {
        if (sends) push(time, Kind::leave, message);
        return;
    }
    const std::uint32_t partner = schedule_.messages()[message].partner;
    posted_[message] = time;
    if (posted_[partner] == unknown) return;
    const Time handshake = crossing ? machine_.lane_handshake : machine_.node_handshake;
    const Time latency =
        !crossing ? machine_.node_latency
        : network_
            ? machine_.lane_latency + network_->latency(places_.node(rank), places_.node(step.peer))
            : machine_.lane_latency;
    const Time there = handshake > 0 ? handshake / 2 : latency;
    const Time sent = posted_[sends ? message : partner],
               expected = posted_[sends ? partner : message];
    push(std::max(time, std::max(sent + there, expected) + there) +
             machine_.waits(crossing, step.bytes),
         Kind::leave, sends ? message : partner);
}

Time Transport::lane_work(std::int64_t bytes) const
{
    return machine_.lane_message + work_of(bytes, machine_.lane_byte);
}

void Transport::leave(std::uint32_t message, Time now)
{
    const Schedule::Step& step = schedule_.step_of(message);
    const int from = schedule_.rank_of(message);
    if (trace_) trace_->ready[message] = now;
    if (from == step.peer) {
        const Time copied = now + work_of(step.bytes, machine_.copy_byte);
        listener_.over(message, copied);
        listener_.over(schedule_.messages()[message].partner, copied);
        return;
    }
    if (!places_.crosses(from, step.peer)) {
        enter(inside(places_.node(from)), now, work_of(step.bytes, machine_.node_byte), message,
              Side::node);
        return;
    }
    const std::uint32_t lane = places_.out(from, step.peer);
    if (network_) {
        const std::uint32_t in = places_.in(step.peer);
        const Time work = lane_work(step.bytes);
        busy_[link_of(places_.node(from), lane, Side::out)] += work;
        busy_[link_of(places_.node(step.peer), in, Side::in)] += work;
        if (network_->leave(now, message, lane, in, work)) push(now, Kind::settle, 0);
        return;
    }
    const Time begins = enter(link_of(places_.node(from), lane, Side::out), now,
                              lane_work(step.bytes), message, Side::out);
    push(begins + machine_.lane_latency, Kind::arrive, message);
}

/// While its last bits leave, the first ones come: a message takes its time on both lanes, but not twice.
void Transport::arrive(std::uint32_t message, Time now)
{
    const Schedule::Step& step = schedule_.step_of(message);
    enter(link_of(places_.node(step.peer), places_.in(step.peer), Side::in), now,
          lane_work(step.bytes), message, Side::in);
}

/// A message begins on a link; when it does.
Time Transport::enter(std::uint32_t link, Time now, Time work, std::uint32_t message, Side side)
{
    const Time begins = machine_.fair ? now : std::max(now, free_[link]);
    if (!buckets_.empty() && side != Side::node)
        work = buckets_[link].take(begins, work, machine_.lane_message, machine_.lane_burst);
    busy_[link] += work;
    if (machine_.fair) {
        fair_[link].enter(now, work,
                          std::uint64_t{message} << 2U | static_cast<std::uint32_t>(side));
        push(fair_[link].next(now), Kind::serve, link);
        return now;
    }
    free_[link] = begins + work;
    if (trace_) note(message, side, begins, free_[link]);
    passed(message, side, free_[link]);
    return begins;
}

void Transport::serve(std::uint32_t link, Time now)
{
    FairLink& fair = fair_[link];
    if (!fair.is_due(now)) return;
    const std::uint64_t about = fair.leave(now);
    if (!fair.empty()) push(fair.next(now), Kind::serve, link);
    const auto message = static_cast<std::uint32_t>(about >> 2U);
    const auto side = static_cast<Side>(about & 3U);
    if (trace_)
        note(message, side, trace_->ready[message] + (side == Side::in ? machine_.lane_latency : 0),
             now);
    passed(message, side, now);
}

/// A message is over on a link at `time`, now or later.
void Transport::passed(std::uint32_t message, Side side, Time time)
{
    const std::uint32_t partner = schedule_.messages()[message].partner;
    if (side != Side::in) listener_.over(message, time);
    if (side == Side::node) return listener_.over(partner, time + machine_.node_latency);
    if (passed_.empty()) {
        // Lanes are equally fast: what begins to come later also ends later.
        if (side == Side::in) listener_.over(partner, time);
        return;
    }
    const Time come = side == Side::out ? time + machine_.lane_latency : time;
    if (passed_[message] == unknown)
        passed_[message] = come;
    else
        listener_.over(partner, std::max(come, passed_[message]));
}

void Transport::flow(std::uint32_t flow, Time now)
{
    if (!network_->is_due(flow, now)) return;
    bool asks = false;
    const auto [message, began, held] = network_->end(now, flow, asks);
    if (asks) push(now, Kind::settle, 0);
    const int from = schedule_.rank_of(message), to = schedule_.step_of(message).peer;
    const Time latency =
        machine_.lane_latency + network_->latency(places_.node(from), places_.node(to));
    if (trace_) {
        trace_->held[message] = held;
        note(message, Side::out, began, now);
        note(message, Side::in, began + latency, now + latency);
    }
    listener_.over(message, now);
    listener_.over(schedule_.messages()[message].partner, now + latency);
}

/// For the trace: on a lane.
void Transport::note(std::uint32_t message, Side side, Time began, Time ended)
{
    if (side == Side::node) return;
    const int from = schedule_.rank_of(message), to = schedule_.step_of(message).peer;
    const bool comes = side == Side::in;
    trace_->passages.push_back(
        {comes ? places_.in(to) : places_.out(from, to), comes, message, began, ended});
}

}  // namespace laneway
