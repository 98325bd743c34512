// SPDX-License-Identifier: BSD-3-Clause
#include "carriers/simulated/critical_path.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace laneway {
namespace {

class Walk {
public:
    Walk(const Schedule& schedule, const Layout& layout, const Machine& machine, const Trace& trace,
         const std::vector<Time>& overs)
        : schedule_(schedule),
          places_(layout, machine),
          machine_(machine),
          trace_(trace),
          overs_(overs)
    {
        if (machine.network.kind != Topology::Kind::flat)
            routes_.emplace_back(machine.network, layout.nodes());
    }

    /// Walks back from when a rank ended.
    CriticalPath back_from(int rank, Time end)
    {
        path_.rank = rank;
        const std::uint32_t strand = schedule_.first_strand(rank);
        now_ = end;
        if (schedule_.end_of(strand) == schedule_.strands()[strand].first_step) return path_;
        at_ = schedule_.end_of(strand) - 1;
        while (now_ > 0 && at_ != Trace::none) {
            ++path_.steps;
            step();
        }
        return path_;
    }

private:
    /// Gives a cause the time since `then`, from where the path goes on.
    void spend(CriticalPath::Cause cause, Time then)
    {
        path_.time[cause] += now_ - then;
        now_ = then;
    }
    /// Gives a cause `some` time, or as much as there is.
    void spend_some(CriticalPath::Cause cause, Time some)
    {
        spend(cause, now_ - std::min(some, now_));
    }

    std::uint32_t strand_of(std::uint32_t step) const
    {
        const auto next =
            std::ranges::upper_bound(schedule_.strands(), step, {}, &Schedule::Strand::first_step);
        return static_cast<std::uint32_t>(next - schedule_.strands().begin()) - 1;
    }

    /// Goes on before a step, on its rank.
    void before(std::uint32_t step)
    {
        now_ = trace_.began[step];
        if (trace_.after[step] != Trace::none)
            at_ = trace_.after[step];
        else
            at_ = schedule_.strands()[strand_of(step)].first_step == step ? Trace::none : step - 1;
    }

    void step()
    {
        const std::uint32_t at = at_;
        const Schedule::Step& step = schedule_.steps()[at];
        const Time began = trace_.began[at];
        switch (step.kind) {
        case Operation::Kind::wait:
            if (wait(step, began)) return;
            break;
        case Operation::Kind::join:
            if (now_ > began) {
                const auto child = static_cast<std::uint32_t>(step.peer);
                at_ = trace_.end_after[child] != Trace::none ? trace_.end_after[child]
                                                             : schedule_.end_of(child) - 1;
                return;
            }
            break;
        case Operation::Kind::send:
            spend_some(CriticalPath::overhead, std::min(work_with(at), now_ - began));
            spend(CriticalPath::pack, began);
            break;
        case Operation::Kind::copy:
        case Operation::Kind::reduce:
            if (step.packs)
                spend_some(CriticalPath::pack,
                           std::min(work_of(step.bytes, machine_.pack_byte), now_ - began));
            spend(step.kind == Operation::Kind::copy ? CriticalPath::copy : CriticalPath::reduce,
                  began);
            break;
        case Operation::Kind::receive:
        case Operation::Kind::fork:
        case Operation::Kind::pack:
        case Operation::Kind::unpack:
            break;
        }
        before(at);
    }

    /// True: the path goes on with a message that came later than all that the rank did.
    bool wait(const Schedule::Step& step, Time since)
    {
        std::vector<std::pair<Time, std::uint32_t>> arrivals;
        std::pair<Time, std::uint32_t> sent{0, Trace::none};
        for (const std::uint32_t message : schedule_.awaited(step)) {
            if (schedule_.is_send(message))
                sent = std::max(sent, {overs_[message], message});
            else
                arrivals.emplace_back(overs_[message], message);
        }
        if (sent.first == now_ && now_ > since) {
            travel(sent.second, false);
            return true;
        }
        // The work of messages that were there already follows that of the one that was waited for.
        std::ranges::sort(arrivals);
        while (!arrivals.empty() && now_ > since) {
            const auto [arrival, message] = arrivals.back();
            const Schedule::Step& own = schedule_.step_of(message);
            arrivals.pop_back();
            const std::uint32_t sent_as = schedule_.messages()[message].partner;
            const int rank = schedule_.rank_of(message);
            const bool in_pieces =
                own.peer != rank && machine_.in_pieces(places_.crosses(own.peer, rank), own.bytes);
            // Copied while it came, or as fast as it came.
            const bool as_it_came = in_pieces && arrival + machine_.receive == now_;
            spend_some(CriticalPath::pack, as_it_came ? 0 : packing_of(message));
            spend_some(CriticalPath::overhead, as_it_came
                                                   ? machine_.receive
                                                   : work_with(schedule_.messages()[message].step));
            const Time from = in_pieces && !as_it_came
                                  ? trace_.ready[sent_as] + places_.latency_within(own.peer, rank)
                                  : arrival;
            if (from == now_ && now_ > since) {
                travel(sent_as, true);
                return true;
            }
        }
        return false;
    }

    /// Walks the way of a message, which is over at this moment at its receiver, or at its sender.
    void travel(std::uint32_t message, bool comes)
    {
        ++path_.steps;
        const Schedule::Step& step = schedule_.step_of(message);
        const int from = schedule_.rank_of(message);
        const bool crossing = places_.crosses(from, step.peer);
        const Time ready = trace_.ready[message];
        const Time latency = latency_of(from, step.peer);
        if (comes && from != step.peer) spend_some(CriticalPath::latency, std::min(latency, now_));
        spend_some(CriticalPath::link, trace_.held[message]);
        spend(from == step.peer ? CriticalPath::copy
              : crossing        ? CriticalPath::lane
                                : CriticalPath::node,
              ready);
        const std::uint32_t partner = schedule_.messages()[message].partner;
        const std::uint32_t own = schedule_.messages()[message].step,
                            other = schedule_.messages()[partner].step;
        // A long message may have been ready when its receiver was.
        const bool long_one = step.bytes > (crossing ? machine_.lane_eager : machine_.node_eager);
        const Time handshake = crossing ? machine_.lane_handshake : machine_.node_handshake;
        const Time there = handshake > 0 ? handshake / 2 : latency;
        const Time met = ready - machine_.waits(crossing, step.bytes);
        const bool receiver_was_late = long_one && trace_.ended[other] + there == met &&
                                       trace_.ended[other] > trace_.ended[own] + there;
        at_ = receiver_was_late ? other : own;
        // The first piece of a message leaves before its sender is done.
        spend(CriticalPath::handshake, std::min(now_, trace_.ended[at_]));
    }

    /// The work of a process with a message, packing put aside.
    Time work_with(std::uint32_t at) const
    {
        const Schedule::Step& step = schedule_.steps()[at];
        const int rank = schedule_.strands()[strand_of(at)].rank;
        const bool receives = step.kind == Operation::Kind::receive;
        const Time all = receives ? machine_.receive : machine_.send;
        return step.peer == rank ? all
                                 : all + machine_.work_for(places_.crosses(rank, step.peer),
                                                           receives, step.bytes);
    }

    Time packing_of(std::uint32_t received) const
    {
        const Schedule::Step& step = schedule_.step_of(received);
        const int rank = schedule_.rank_of(received);
        if (!step.packs) return 0;
        return step.peer == rank
                   ? work_of(step.bytes, machine_.pack_byte)
                   : machine_.packing_for(places_.crosses(step.peer, rank), true, step.bytes);
    }

    Time latency_of(int from, int to) const
    {
        if (!places_.crosses(from, to)) return places_.latency_within(from, to);
        Time all = machine_.lane_latency;
        for (const Routes& routes : routes_)
            all += static_cast<Time>(routes.hops(places_.node(from), places_.node(to))) *
                   machine_.network.hop;
        return all;
    }

    const Schedule& schedule_;
    const Places places_;
    const Machine& machine_;
    const Trace& trace_;
    const std::vector<Time>& overs_;
    std::vector<Routes> routes_;  ///< one, or none where there is nothing between lanes
    CriticalPath path_;
    Time now_ = 0;
    std::uint32_t at_ = Trace::none;  ///< the step that has ended by now
};

}  // namespace

CriticalPath critical_path_of(const Schedule& schedule, const Layout& layout,
                              const Machine& machine, const Trace& trace,
                              const Simulated& simulated)
{
    if (schedule.ranks() == 0) return {};
    const auto last = std::ranges::max_element(simulated.ends());
    return Walk(schedule, layout, machine, trace, simulated.overs())
        .back_from(static_cast<int>(last - simulated.ends().begin()), *last);
}

}  // namespace laneway
