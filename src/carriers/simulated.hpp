// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "carriers/bucket.hpp"
#include "carriers/event_queue.hpp"
#include "carriers/fair_link.hpp"
#include "carriers/machine.hpp"
#include "layout/layout.hpp"
#include "schedule/schedule.hpp"

namespace laneway {

/// Carries out a schedule on the clock of a machine that is only described, without data: when each rank
/// begins, waits and ends follows from the machine alone, and two runs are the same to the last digit.
class Simulated {
public:
    /// All must outlive it. The nodes of the layout are those of the machine.
    Simulated(const Schedule& schedule, const Layout& layout, const Machine& machine);
    Simulated(const Simulated&) = delete;
    Simulated& operator=(const Simulated&) = delete;

    /// Until all ranks have ended; once. `progress` is told now and then which part of the steps is done.
    /// Throws std::logic_error for a deadlock.
    void run(const std::function<void(double part)>& progress = {});

    /// When the last rank ended.
    Time end() const;
    /// When each ended.
    const std::vector<Time>& ends() const { return ends_; }
    std::uint64_t events() const { return events_; }

private:
    enum class Kind : std::uint32_t {
        wake,    ///< a strand goes on
        leave,   ///< a message is ready for its first link
        arrive,  ///< its first bit has come to the lane of its receiver
        serve,   ///< a fair link may be done with a message
    };
    enum class Side : std::uint32_t { node, out, in };
    struct Progress {
        std::uint32_t step = 0;
        std::uint32_t message = 0;
        std::uint32_t outstanding = 0;  ///< messages that it waits for whose end is not known yet
        std::uint32_t joins = none;     ///< a strand
        Time since = 0;                 ///< when it began to wait
        bool ended = false;
    };
    static constexpr std::uint32_t none = ~std::uint32_t{0};
    static constexpr Time unknown = ~Time{0};

    void push(Time time, Kind kind, std::uint32_t about)
    {
        queue_.push({time, about, static_cast<std::uint32_t>(kind)});
    }
    void advance(std::uint32_t strand, Time now);
    bool carry_out(std::uint32_t strand, const Schedule::Step& step, Time& time);
    bool wait(std::uint32_t strand, const Schedule::Step& step, Time& time);
    Time resumed(std::uint32_t strand, const Schedule::Step& step);
    void end(std::uint32_t strand, Time time);
    void post(std::uint32_t message, Time time);
    void leave(std::uint32_t message, Time now);
    void arrive(std::uint32_t message, Time now);
    void serve(std::uint32_t link, Time now);
    Time enter(std::uint32_t link, Time now, Time work, std::uint32_t message, Side side);
    void passed(std::uint32_t message, Side side, Time time);
    void complete(std::uint32_t message, Time time);
    void check_end() const;

    bool crosses(int from, int to) const
    {
        return node_of_[static_cast<std::size_t>(from)] != node_of_[static_cast<std::size_t>(to)];
    }
    /// The lane of a node that has the number of that of `rank`.
    std::uint32_t lane_link(int node_of, int rank, Side side) const
    {
        const int node = node_of_[static_cast<std::size_t>(node_of)];
        return static_cast<std::uint32_t>(node * (2 * machine_.lanes + 1) + 1 +
                                          2 * lane_of_[static_cast<std::size_t>(rank)] +
                                          (side == Side::in));
    }
    Time lane_work(std::int64_t bytes) const;
    static Time work_of(std::int64_t bytes, double byte)
    {
        return static_cast<Time>(std::llround(static_cast<double>(bytes) * byte));
    }
    /// What a process works for a message of its own besides what any message takes.
    Time work_for(int rank, const Schedule::Step& step) const
    {
        if (step.peer == rank) return 0;
        if (!crosses(rank, step.peer)) {
            const bool copies =
                step.bytes <= machine_.node_eager || step.kind == Operation::Kind::receive;
            return copies ? work_of(step.bytes, machine_.node_copy_byte) : 0;
        }
        return step.bytes <= machine_.lane_eager ? machine_.lane_delays.of(step.bytes) / 2 : 0;
    }
    /// What a message waits that is not eager.
    Time delay(bool crossing, std::int64_t bytes) const
    {
        return crossing ? machine_.lane_delays.of(bytes) : 0;
    }

    const Schedule& schedule_;
    const Machine machine_;
    std::vector<int> node_of_, lane_of_;  ///< by rank
    EventQueue queue_;
    std::uint64_t events_ = 0;
    std::vector<Progress> strands_;
    std::vector<Time> busy_until_;  ///< by rank: its core
    std::vector<Time> ends_;        ///< by rank
    std::vector<Time> over_;        ///< by message: when its side of it is over
    std::vector<bool> awaited_;     ///< by message: its strand waits for it now
    std::vector<Time> posted_;      ///< by message, of those that are not eager
    std::vector<Time>
        passed_;  ///< by message, where lanes are fair or have bursts: what is over of its way
    std::vector<Time> free_;                       ///< by link: when the last message is over
    std::vector<FairLink> fair_;                   ///< by link, in its stead
    std::vector<Bucket> buckets_;                  ///< by link, where lanes have bursts
    std::vector<std::pair<Time, Time>> arrivals_;  ///< of a wait
    std::uint64_t steps_done_ = 0;
};

}  // namespace laneway
