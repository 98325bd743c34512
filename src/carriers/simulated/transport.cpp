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
    if (machine.fair || machine.lane_burst > 0 || !machine.slower.empty())
        passed_.assign(schedule.messages().size(), unknown);
    if (std::min(machine.lane_eager, machine.node_eager) != Machine{}.lane_eager)
        posted_.assign(schedule.messages().size(), unknown);
    if (machine.node_fragment > 0) began_.assign(schedule.messages().size(), 0);
    if (machine.network.kind != Topology::Kind::flat)
        network_ = std::make_unique<Network>(machine, places.nodes());
}

void Transport::happen(Kind kind, std::uint32_t about, Time now)
{
    switch (kind) {
    case Kind::wake:
    case Kind::turn:
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
        !crossing ? places_.latency_within(rank, step.peer)
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

Time Transport::lane_work(std::int64_t bytes, std::uint32_t lane) const
{
    return machine_.lane_message + work_of(bytes, machine_.lane_byte * machine_.slowness(lane));
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
        if (!began_.empty())
            began_[schedule_.messages()[message].partner] =
                now + places_.latency_within(from, step.peer);
        enter(inside(places_.node(from)), now, work_of(step.bytes, machine_.node_byte), message,
              Side::node);
        return;
    }
    const std::uint32_t lane = places_.out(from, step.peer);
    if (network_) {
        const std::uint32_t in = places_.in(step.peer);
        const Time work = lane_work(step.bytes, lane);
        busy_[link_of(places_.node(from), lane, Side::out)] += work;
        busy_[link_of(places_.node(step.peer), in, Side::in)] += work;
        if (network_->leave(now, message, lane, in, work)) push(now, Kind::settle, 0);
        return;
    }
    const Time begins = enter(link_of(places_.node(from), lane, Side::out), now,
                              lane_work(step.bytes, lane), message, Side::out, lane);
    push(begins + machine_.lane_latency, Kind::arrive, schedule_.messages()[message].partner);
}

/// The first bits of a message come while the last ones leave: it takes its time on both lanes, but not twice.
void Transport::arrive(std::uint32_t message, Time now)
{
    const int to = schedule_.rank_of(message);
    const std::uint32_t lane = places_.in(to);
    enter(link_of(places_.node(to), lane, Side::in), now,
          lane_work(schedule_.step_of(message).bytes, lane), message, Side::in, lane);
}

/// Begins a message on a link, which may be one of a lane, and returns when it begins.
Time Transport::enter(std::uint32_t link, Time now, Time work, std::uint32_t message, Side side,
                      std::uint32_t lane)
{
    const Time begins = machine_.fair ? now : std::max(now, free_[link]);
    if (!buckets_.empty() && side != Side::node)
        work = buckets_[link].take(begins, work, machine_.lane_message,
                                   work_of(machine_.lane_burst, machine_.slowness(lane)));
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
    if (trace_) {
        const bool comes = side == Side::in;
        const Time ready = trace_->ready[comes ? schedule_.messages()[message].partner : message];
        note(message, side, ready + (comes ? machine_.lane_latency : 0), now);
    }
    passed(message, side, now);
}

/// A side of a message is over on its link at `time`, now or later.
void Transport::passed(std::uint32_t message, Side side, Time time)
{
    switch (side) {
    case Side::node:
        listener_.over(message, time);
        return listener_.over(schedule_.messages()[message].partner,
                              time + places_.latency_within(schedule_.rank_of(message),
                                                            schedule_.step_of(message).peer));
    case Side::out:
        listener_.over(message, time);
        // Where lanes are equally fast, a message that begins to come later also ends later.
        if (passed_.empty()) return;
        return come(schedule_.messages()[message].partner, time + machine_.lane_latency);
    case Side::in:
        return passed_.empty() ? listener_.over(message, time) : come(message, time);
    }
}

/// A receive is over when both have passed: its last bit's leaving and latency, and the lane that it comes by.
void Transport::come(std::uint32_t message, Time time)
{
    if (passed_[message] == unknown)
        passed_[message] = time;
    else
        listener_.over(message, std::max(time, passed_[message]));
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
        note(schedule_.messages()[message].partner, Side::in, began + latency, now + latency);
    }
    listener_.over(message, now);
    listener_.over(schedule_.messages()[message].partner, now + latency);
}

/// Notes for the trace that a side of a message is on a lane.
void Transport::note(std::uint32_t message, Side side, Time began, Time ended)
{
    if (side == Side::node) return;
    const bool comes = side == Side::in;
    const std::uint32_t sent = comes ? schedule_.messages()[message].partner : message;
    const int from = schedule_.rank_of(sent), to = schedule_.step_of(sent).peer;
    trace_->passages.push_back(
        {comes ? places_.in(to) : places_.out(from, to), comes, sent, began, ended});
}

}  // namespace laneway
