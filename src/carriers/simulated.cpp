// SPDX-License-Identifier: BSD-3-Clause
#include "carriers/simulated.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace laneway {
Simulated::Simulated(const Schedule& schedule, const Layout& layout, const Machine& machine)
    : schedule_(schedule),
      machine_(machine),
      strands_(schedule.strands().size()),
      busy_until_(static_cast<std::size_t>(schedule.ranks()), 0),
      ends_(static_cast<std::size_t>(schedule.ranks()), 0),
      over_(schedule.messages().size(), unknown),
      awaited_(schedule.messages().size(), false)
{
    for (int rank = 0; rank < schedule.ranks(); ++rank) {
        const auto [node, local] = layout.locate(rank);
        node_of_.push_back(node);
        lane_of_.push_back(local % machine.lanes);
    }
    for (std::size_t strand = 0; strand < strands_.size(); ++strand) {
        strands_[strand].step = schedule.strands()[strand].first_step;
        strands_[strand].message = schedule.strands()[strand].first_message;
    }
    const auto links = static_cast<std::size_t>(layout.nodes()) *
                       (2 * static_cast<std::size_t>(machine.lanes) + 1);
    if (machine.fair)
        fair_.resize(links);
    else
        free_.assign(links, 0);
    if (machine.lane_burst > 0) buckets_.resize(links);
    if (machine.fair || machine.lane_burst > 0) passed_.assign(schedule.messages().size(), unknown);
    if (std::min(machine.lane_eager, machine.node_eager) != Machine{}.lane_eager)
        posted_.assign(schedule.messages().size(), unknown);
}

void Simulated::run(const std::function<void(double part)>& progress)
{
    constexpr std::uint64_t told_every = 1 << 20;
    for (int rank = 0; rank < schedule_.ranks(); ++rank)
        push(0, Kind::wake, schedule_.first_strand(rank));
    while (!queue_.empty()) {
        const auto [time, about, kind] = queue_.pop();
        switch (static_cast<Kind>(kind)) {
        case Kind::wake:
            advance(about, time);
            break;
        case Kind::leave:
            leave(about, time);
            break;
        case Kind::arrive:
            arrive(about, time);
            break;
        case Kind::serve:
            serve(about, time);
            break;
        }
        if (++events_ % told_every == 0 && progress)
            progress(static_cast<double>(steps_done_) /
                     static_cast<double>(schedule_.steps().size()));
    }
    check_end();
}

Time Simulated::end() const { return ends_.empty() ? 0 : std::ranges::max(ends_); }

/// A strand, until it must wait.
void Simulated::advance(std::uint32_t strand, Time now)
{
    Progress& self = strands_[strand];
    const auto rank = static_cast<std::size_t>(schedule_.strands()[strand].rank);
    // Strands of a rank share its core.
    Time time = std::max(now, busy_until_[rank]);
    const std::uint32_t began = self.step, last = schedule_.end_of(strand);
    bool goes_on = true;
    while (goes_on && self.step < last) {
        goes_on = carry_out(strand, schedule_.steps()[self.step], time);
        ++self.step;
    }
    steps_done_ += self.step - began;
    busy_until_[rank] = time;
    if (goes_on) end(strand, time);
}

/// True: the strand goes on at once.
bool Simulated::carry_out(std::uint32_t strand, const Schedule::Step& step, Time& time)
{
    Progress& self = strands_[strand];
    const int rank_of = schedule_.strands()[strand].rank;
    const Time packing = step.packs ? work_of(step.bytes, machine_.pack_byte) : 0;
    switch (step.kind) {
    case Operation::Kind::send:
        time += machine_.send + packing + work_for(rank_of, step);
        post(self.message++, time);
        return true;
    case Operation::Kind::receive:
        post(self.message++, time);
        return true;
    case Operation::Kind::wait:
        return wait(strand, step, time);
    case Operation::Kind::copy:
        time += work_of(step.bytes, machine_.copy_byte) + packing;
        return true;
    case Operation::Kind::reduce:
        time += work_of(step.bytes, machine_.reduce_byte) + packing;
        return true;
    case Operation::Kind::fork:
        push(time, Kind::wake, static_cast<std::uint32_t>(step.peer));
        return true;
    case Operation::Kind::join:
        if (strands_[static_cast<std::size_t>(step.peer)].ended) return true;
        self.joins = static_cast<std::uint32_t>(step.peer);
        return false;
    }
    return true;
}

bool Simulated::wait(std::uint32_t strand, const Schedule::Step& step, Time& time)
{
    Progress& self = strands_[strand];
    self.since = time;
    for (const std::uint32_t message : schedule_.awaited(step))
        if (over_[message] == unknown) {
            awaited_[message] = true;
            ++self.outstanding;
        }
    if (self.outstanding > 0) return false;
    const Time then = resumed(strand, step);
    const auto rank = schedule_.strands()[strand].rank;
    const bool alone = schedule_.end_of(strand) == schedule_.steps().size() ||
                       schedule_.strands()[strand + 1].rank != rank;
    if (then == time || (alone && schedule_.first_strand(rank) == strand)) {
        time = then;  // nobody else can use the core meanwhile
        return true;
    }
    push(then, Kind::wake, strand);
    return false;
}

/// When a wait ends: messages are taken as they come, each with its work.
Time Simulated::resumed(std::uint32_t strand, const Schedule::Step& step)
{
    Time time = strands_[strand].since, sent = 0;
    arrivals_.clear();
    for (const std::uint32_t message : schedule_.awaited(step)) {
        const Schedule::Step& own = schedule_.step_of(message);
        if (own.kind == Operation::Kind::send)
            sent = std::max(sent, over_[message]);
        else
            arrivals_.emplace_back(over_[message],
                                   machine_.receive +
                                       (own.packs ? work_of(own.bytes, machine_.pack_byte) : 0) +
                                       work_for(schedule_.strands()[strand].rank, own));
    }
    std::ranges::sort(arrivals_);
    for (const auto& [arrival, work] : arrivals_) time = std::max(time, arrival) + work;
    return std::max(time, sent);
}

void Simulated::end(std::uint32_t strand, Time time)
{
    strands_[strand].ended = true;
    const int rank = schedule_.strands()[strand].rank;
    const std::uint32_t parent = schedule_.first_strand(rank);
    if (strand == parent) {
        ends_[static_cast<std::size_t>(rank)] = time;
    } else if (strands_[parent].joins == strand) {
        strands_[parent].joins = none;
        push(time, Kind::wake, parent);
    }
}

/// A side of a message is ready at `time`.
void Simulated::post(std::uint32_t message, Time time)
{
    const Schedule::Step& step = schedule_.step_of(message);
    const bool sends = step.kind == Operation::Kind::send;
    const bool crossing = crosses(schedule_.rank_of(message), step.peer);
    if (step.bytes <= (crossing ? machine_.lane_eager : machine_.node_eager)) {
        if (sends) push(time, Kind::leave, message);
        return;
    }
    const std::uint32_t partner = schedule_.messages()[message].partner;
    posted_[message] = time;
    if (posted_[partner] == unknown) return;
    const Time handshake = crossing ? machine_.lane_handshake : machine_.node_handshake;
    const Time latency = crossing ? machine_.lane_latency : machine_.node_latency;
    const Time there = handshake > 0 ? handshake / 2 : latency;
    const Time sent = posted_[sends ? message : partner],
               expected = posted_[sends ? partner : message];
    push(std::max(time, std::max(sent + there, expected) + there) + delay(crossing, step.bytes),
         Kind::leave, sends ? message : partner);
}

Time Simulated::lane_work(std::int64_t bytes) const
{
    return machine_.lane_message + work_of(bytes, machine_.lane_byte);
}

void Simulated::leave(std::uint32_t message, Time now)
{
    const Schedule::Step& step = schedule_.step_of(message);
    const int from = schedule_.rank_of(message);
    if (from == step.peer) {
        const Time copied = now + work_of(step.bytes, machine_.copy_byte);
        complete(message, copied);
        complete(schedule_.messages()[message].partner, copied);
        return;
    }
    if (!crosses(from, step.peer)) {
        const auto node = static_cast<std::uint32_t>(node_of_[static_cast<std::size_t>(from)] *
                                                     (2 * machine_.lanes + 1));
        enter(node, now, work_of(step.bytes, machine_.node_byte), message, Side::node);
        return;
    }
    const int by = machine_.by_receiver ? step.peer : from;
    const Time begins =
        enter(lane_link(from, by, Side::out), now, lane_work(step.bytes), message, Side::out);
    push(begins + machine_.lane_latency, Kind::arrive, message);
}

/// While its last bits leave, the first ones come: a message takes its time on both lanes, but not twice.
void Simulated::arrive(std::uint32_t message, Time now)
{
    const Schedule::Step& step = schedule_.step_of(message);
    enter(lane_link(step.peer, step.peer, Side::in), now, lane_work(step.bytes), message, Side::in);
}

/// A message begins on a link; when it does.
Time Simulated::enter(std::uint32_t link, Time now, Time work, std::uint32_t message, Side side)
{
    const Time begins = machine_.fair ? now : std::max(now, free_[link]);
    if (!buckets_.empty() && side != Side::node)
        work = buckets_[link].take(begins, work, machine_.lane_message, machine_.lane_burst);
    if (machine_.fair) {
        fair_[link].enter(now, work,
                          std::uint64_t{message} << 2U | static_cast<std::uint32_t>(side));
        push(fair_[link].next(now), Kind::serve, link);
        return now;
    }
    free_[link] = begins + work;
    passed(message, side, free_[link]);
    return begins;
}

void Simulated::serve(std::uint32_t link, Time now)
{
    FairLink& fair = fair_[link];
    if (!fair.is_due(now)) return;
    const std::uint64_t about = fair.leave(now);
    if (!fair.empty()) push(fair.next(now), Kind::serve, link);
    passed(static_cast<std::uint32_t>(about >> 2U), static_cast<Side>(about & 3U), now);
}

/// A message is over on a link at `time`, now or later.
void Simulated::passed(std::uint32_t message, Side side, Time time)
{
    const std::uint32_t partner = schedule_.messages()[message].partner;
    if (side != Side::in) complete(message, time);
    if (side == Side::node) return complete(partner, time + machine_.node_latency);
    if (passed_.empty()) {
        // Lanes are equally fast: what begins to come later also ends later.
        if (side == Side::in) complete(partner, time);
        return;
    }
    const Time come = side == Side::out ? time + machine_.lane_latency : time;
    if (passed_[message] == unknown)
        passed_[message] = come;
    else
        complete(partner, std::max(come, passed_[message]));
}

void Simulated::complete(std::uint32_t message, Time time)
{
    over_[message] = time;
    if (!awaited_[message]) return;
    awaited_[message] = false;
    const std::uint32_t strand = schedule_.messages()[message].strand;
    Progress& self = strands_[strand];
    if (--self.outstanding == 0)
        push(resumed(strand, schedule_.steps()[self.step - 1]), Kind::wake, strand);
}

void Simulated::check_end() const
{
    for (int rank = 0; rank < schedule_.ranks(); ++rank)
        if (!strands_[schedule_.first_strand(rank)].ended)
            throw std::logic_error("a deadlock: rank " + std::to_string(rank) + " never ends");
}

}  // namespace laneway
