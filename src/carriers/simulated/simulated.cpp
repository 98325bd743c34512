// SPDX-License-Identifier: BSD-3-Clause
#include "carriers/simulated/simulated.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace laneway {

Simulated::Simulated(const Schedule& schedule, const Layout& layout, const Machine& machine,
                     Trace* trace)
    : schedule_(schedule),
      machine_(machine),
      places_(layout, machine),
      trace_(trace),
      transport_(schedule, places_, machine, queue_, *this, trace),
      strands_(schedule.strands().size()),
      turns_(static_cast<std::size_t>(schedule.ranks()), schedule.strands().size()),
      busy_until_(static_cast<std::size_t>(schedule.ranks()), 0),
      ends_(static_cast<std::size_t>(schedule.ranks()), 0),
      over_(schedule.messages().size(), unknown),
      awaited_(schedule.messages().size(), false)
{
    if (trace) busy_with_.assign(static_cast<std::size_t>(schedule.ranks()), Trace::none);
    for (std::size_t strand = 0; strand < strands_.size(); ++strand) {
        strands_[strand].step = schedule.strands()[strand].first_step;
        strands_[strand].message = schedule.strands()[strand].first_message;
    }
}

void Simulated::run(const std::function<void(double part)>& progress)
{
    constexpr std::uint64_t told_every = 1 << 20;
    for (int rank = 0; rank < schedule_.ranks(); ++rank) wake(0, schedule_.first_strand(rank));
    while (!queue_.empty()) {
        const auto [time, about, kind] = queue_.pop();
        if (kind == static_cast<std::uint32_t>(Transport::Kind::wake))
            awake(about, time);
        else if (kind == static_cast<std::uint32_t>(Transport::Kind::turn))
            take_turns(about, time);
        else
            transport_.happen(static_cast<Transport::Kind>(kind), about, time);
        if (++events_ % told_every == 0 && progress)
            progress(static_cast<double>(steps_done_) /
                     static_cast<double>(schedule_.steps().size()));
    }
    check_end();
}

Time Simulated::end() const { return ends_.empty() ? 0 : std::ranges::max(ends_); }

/// Strands of a rank share its core.
void Simulated::awake(std::uint32_t strand, Time now)
{
    const auto rank = static_cast<std::size_t>(schedule_.strands()[strand].rank);
    const bool nobody = turns_.nobody(rank);
    if (nobody && busy_until_[rank] <= now) return advance(strand, now);
    strands_[strand].since = now;
    turns_.add(rank, strand);
    if (nobody) await_turn(rank);
}

void Simulated::take_turns(std::size_t rank, Time now)
{
    const std::uint32_t strand = turns_.take(rank);
    const Progress& self = strands_[strand];
    if (trace_ && now > self.since)
        (self.step < schedule_.end_of(strand) ? trace_->after[self.step]
                                              : trace_->end_after[strand]) = busy_with_[rank];
    advance(strand, now);
}

/// Carries out a strand until it must wait.
void Simulated::advance(std::uint32_t strand, Time time)
{
    Progress& self = strands_[strand];
    const auto rank = static_cast<std::size_t>(schedule_.strands()[strand].rank);
    const std::uint32_t began = self.step, last = schedule_.end_of(strand);
    bool goes_on = true;
    while (goes_on && self.step < last) {
        if (trace_) trace_->began[self.step] = trace_->ended[self.step] = time;
        goes_on = carry_out(strand, schedule_.steps()[self.step], time);
        if (trace_ && goes_on) trace_->ended[self.step] = time;
        ++self.step;
    }
    steps_done_ += self.step - began;
    // A step that only waits keeps nobody off the core.
    const std::uint32_t worked = self.step - (goes_on ? 0 : 1);
    if (trace_ && worked > began) busy_with_[rank] = worked - 1;
    busy_until_[rank] = time;
    if (goes_on) end(strand, time);
    if (!turns_.nobody(rank)) await_turn(rank);
}

/// Carries out a step. True: the strand goes on at once.
bool Simulated::carry_out(std::uint32_t strand, const Schedule::Step& step, Time& time)
{
    Progress& self = strands_[strand];
    const int rank = schedule_.strands()[strand].rank;
    const Time packing = step.packs ? work_of(step.bytes, machine_.pack_byte) : 0;
    switch (step.kind) {
    case Operation::Kind::send:
        transport_.post(self.message++, time + work_before(rank, step));
        time += work_with(rank, step);
        return true;
    case Operation::Kind::receive:
        transport_.post(self.message++, time);
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
        fork(strand, step, time);
        return false;
    case Operation::Kind::join:
        if (strands_[static_cast<std::size_t>(step.peer)].ended) return true;
        self.joins = static_cast<std::uint32_t>(step.peer);
        return false;
    case Operation::Kind::pack:
    case Operation::Kind::unpack:
        return true;  // over MPI alone
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
    wake(then, strand);
    return false;
}

/// The child goes on at once, then its parent.
void Simulated::fork(std::uint32_t parent, const Schedule::Step& step, Time time)
{
    const auto child = static_cast<std::uint32_t>(step.peer);
    const std::uint32_t first = schedule_.strands()[child].first_step;
    if (trace_ && first < schedule_.end_of(child)) trace_->after[first] = number_of(step);
    const auto rank = static_cast<std::size_t>(schedule_.strands()[parent].rank);
    for (const std::uint32_t strand : {parent, child}) {
        strands_[strand].since = time;
        turns_.add_first(rank, strand);
    }
}

/// When a wait ends: messages are taken as they come, each with its work.
Time Simulated::resumed(std::uint32_t strand, const Schedule::Step& step)
{
    Time time = strands_[strand].since, sent = 0;
    const int rank = schedule_.strands()[strand].rank;
    arrivals_.clear();
    for (const std::uint32_t message : schedule_.awaited(step)) {
        const Schedule::Step& own = schedule_.step_of(message);
        if (own.kind == Operation::Kind::send)
            sent = std::max(sent, over_[message]);
        else
            arrivals_.push_back({over_[message], work_with(rank, own), began_of(message, own)});
    }
    std::ranges::sort(arrivals_);
    // Messages in pieces are copied as the pieces come, as far as nothing else is to do.
    for (const auto& [arrival, work, began] : arrivals_)
        time = std::max(std::max(time, began) + work, arrival + machine_.receive);
    time = std::max(time, sent);
    if (trace_) trace_->ended[number_of(step)] = time;
    return time;
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
        if (trace_) trace_->ended[strands_[parent].step - 1] = time;
        wake(time, parent);
    }
}

void Simulated::over(std::uint32_t message, Time time)
{
    over_[message] = time;
    if (!awaited_[message]) return;
    awaited_[message] = false;
    const std::uint32_t strand = schedule_.messages()[message].strand;
    Progress& self = strands_[strand];
    if (--self.outstanding == 0) wake(resumed(strand, schedule_.steps()[self.step - 1]), strand);
}

void Simulated::check_end() const
{
    for (int rank = 0; rank < schedule_.ranks(); ++rank)
        if (!strands_[schedule_.first_strand(rank)].ended)
            throw std::logic_error("a deadlock: rank " + std::to_string(rank) + " never ends");
}

}  // namespace laneway
