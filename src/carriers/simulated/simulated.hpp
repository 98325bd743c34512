// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "carriers/simulated/event_queue.hpp"
#include "carriers/simulated/machine.hpp"
#include "carriers/simulated/places.hpp"
#include "carriers/simulated/trace.hpp"
#include "carriers/simulated/transport.hpp"
#include "carriers/simulated/turns.hpp"
#include "layout/layout.hpp"
#include "schedule/schedule.hpp"

namespace laneway {

/// Carries out a schedule on the clock of a machine that is only described, without data. When each rank
/// begins, waits and ends follows from the machine alone. Two runs are the same to the last digit.
class Simulated final : Transport::Listener {
public:
    /// Schedule and trace must outlive it. The nodes of the layout are those of the machine.
    Simulated(const Schedule& schedule, const Layout& layout, const Machine& machine,
              Trace* trace = nullptr);
    Simulated(const Simulated&) = delete;
    Simulated& operator=(const Simulated&) = delete;

    /// Runs until all ranks have ended; to be called once. `progress` is called now and then with the part of the
    /// steps that is done. Throws std::logic_error for a deadlock.
    void run(const std::function<void(double part)>& progress = {});

    /// When the last rank ended.
    Time end() const;
    /// When each rank ended.
    const std::vector<Time>& ends() const { return ends_; }
    /// When the side of a message was over, by message.
    const std::vector<Time>& overs() const { return over_; }
    /// For how long messages occupied a lane, which is numbered as `Places` does.
    Time lane_busy(std::uint32_t lane, bool comes) const
    {
        const int node = static_cast<int>(lane) / places_.lanes();
        return transport_.lane_busy(node, lane, comes);
    }
    std::uint64_t events() const { return events_; }

private:
    struct Progress {
        std::uint32_t step = 0;
        std::uint32_t message = 0;
        std::uint32_t outstanding = 0;  ///< messages that it waits for whose end is not known yet
        std::uint32_t joins = none;     ///< the strand that it waits to join
        Time since = 0;                 ///< when it began to wait, be it for the core
        bool ended = false;
    };
    static constexpr std::uint32_t none = ~std::uint32_t{0};
    static constexpr Time unknown = ~Time{0};

    /// A message at its receiver: when it is there, how long the receiver works for it, and from when it can.
    struct Arrival {
        Time over, work, began;
        auto operator<=>(const Arrival&) const = default;
    };

    void wake(Time time, std::uint32_t strand)
    {
        queue_.push({time, strand, static_cast<std::uint32_t>(Transport::Kind::wake)});
    }
    void awake(std::uint32_t strand, Time now);
    void take_turns(std::size_t rank, Time now);
    void await_turn(std::size_t rank)
    {
        queue_.push({busy_until_[rank], static_cast<std::uint32_t>(rank),
                     static_cast<std::uint32_t>(Transport::Kind::turn)});
    }
    void advance(std::uint32_t strand, Time time);
    bool carry_out(std::uint32_t strand, const Schedule::Step& step, Time& time);
    bool wait(std::uint32_t strand, const Schedule::Step& step, Time& time);
    void fork(std::uint32_t parent, const Schedule::Step& step, Time time);
    /// The time from which a receiver can copy a message out.
    Time began_of(std::uint32_t message, const Schedule::Step& step) const
    {
        return in_pieces(schedule_.rank_of(message), step) ? transport_.began(message)
                                                           : over_[message];
    }
    Time resumed(std::uint32_t strand, const Schedule::Step& step);
    void end(std::uint32_t strand, Time time);
    void over(std::uint32_t message, Time time) override;
    void check_end() const;

    /// The time that a rank works for a message of its own.
    Time work_with(int rank, const Schedule::Step& step) const
    {
        if (!step.packs) return unpacked_work_with(rank, step);
        const bool receives = step.kind == Operation::Kind::receive;
        return unpacked_work_with(rank, step) +
               (step.peer == rank
                    ? work_of(step.bytes, machine_.pack_byte)
                    : machine_.packing_for(places_.crosses(rank, step.peer), receives, step.bytes));
    }
    Time unpacked_work_with(int rank, const Schedule::Step& step) const
    {
        const bool receives = step.kind == Operation::Kind::receive;
        const Time all = receives ? machine_.receive : machine_.send;
        return step.peer == rank ? all
                                 : all + machine_.work_for(places_.crosses(rank, step.peer),
                                                           receives, step.bytes);
    }
    /// The time that a rank works for a message that it sends, until the first piece is there. The rest follows
    /// while it is copied.
    Time work_before(int rank, const Schedule::Step& step) const
    {
        const Time all = work_with(rank, step);
        if (!in_pieces(rank, step) || step.bytes > machine_.node_eager) return all;
        const Time copying = all - machine_.send;
        return machine_.send + work_of(machine_.node_fragment, static_cast<double>(copying) /
                                                                   static_cast<double>(step.bytes));
    }
    /// Whether a message stays on its node and is longer than a piece.
    bool in_pieces(int rank, const Schedule::Step& step) const
    {
        return step.peer != rank &&
               machine_.in_pieces(places_.crosses(rank, step.peer), step.bytes);
    }
    std::uint32_t number_of(const Schedule::Step& step) const
    {
        return static_cast<std::uint32_t>(&step - schedule_.steps().data());
    }

    const Schedule& schedule_;
    const Machine machine_;
    const Places places_;
    Trace* const trace_;
    EventQueue queue_;
    Transport transport_;
    std::uint64_t events_ = 0;
    std::vector<Progress> strands_;
    Turns turns_;
    std::vector<Time> busy_until_;          ///< by rank: when its core is free
    std::vector<std::uint32_t> busy_with_;  ///< by rank, for the trace: the last step on it
    std::vector<Time> ends_;                ///< by rank
    std::vector<Time> over_;                ///< by message: when its side of it is over
    std::vector<bool> awaited_;             ///< by message: its strand waits for it now
    std::vector<Arrival> arrivals_;         ///< the arrivals of a wait
    std::uint64_t steps_done_ = 0;
};

}  // namespace laneway
