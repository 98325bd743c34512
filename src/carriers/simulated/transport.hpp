// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "carriers/simulated/bucket.hpp"
#include "carriers/simulated/event_queue.hpp"
#include "carriers/simulated/fair_link.hpp"
#include "carriers/simulated/machine.hpp"
#include "carriers/simulated/network.hpp"
#include "carriers/simulated/places.hpp"
#include "carriers/simulated/trace.hpp"
#include "schedule/schedule.hpp"

namespace laneway {

/// The messages of a schedule on the lanes of a machine, and inside its nodes: from when both sides are ready
/// until each is over.
class Transport {
public:
    /// Events of a queue that others use, too.
    enum class Kind : std::uint32_t {
        wake,    ///< no event of a message: a strand can go on
        turn,    ///< no event of a message: the core of a rank is free for the next strand
        leave,   ///< a message is ready for its first link
        arrive,  ///< the first bit of a receive has come to its lane
        serve,   ///< a fair link may be done with a message
        flow,    ///< a message may be through the network
        settle,  ///< messages in the network have begun or ended
    };
    /// The listener that is told, at that time or before, when a side of a message is over.
    class Listener {
    public:
        virtual void over(std::uint32_t message, Time time) = 0;

    protected:
        ~Listener() = default;
    };

    /// All arguments must outlive it but the machine. `trace` may be null.
    Transport(const Schedule& schedule, const Places& places, const Machine& machine,
              EventQueue& queue, Listener& listener, Trace* trace);

    /// A side of a message is ready at `time`.
    void post(std::uint32_t message, Time time);
    void happen(Kind kind, std::uint32_t about, Time now);

    /// When the first piece of a receive was there, where messages of a node come in pieces.
    Time began(std::uint32_t message) const { return began_[message]; }

    /// For how long messages have occupied a lane, leaving or coming.
    Time lane_busy(int node, std::uint32_t lane, bool comes) const
    {
        return busy_[link_of(node, lane, comes ? Side::in : Side::out)];
    }

private:
    enum class Side : std::uint32_t { node, out, in };
    static constexpr Time unknown = ~Time{0};

    void push(Time time, Kind kind, std::uint32_t about)
    {
        queue_.push({time, about, static_cast<std::uint32_t>(kind)});
    }
    void leave(std::uint32_t message, Time now);
    void arrive(std::uint32_t message, Time now);
    void serve(std::uint32_t link, Time now);
    Time enter(std::uint32_t link, Time now, Time work, std::uint32_t message, Side side,
               std::uint32_t lane = 0);
    void passed(std::uint32_t message, Side side, Time time);
    void come(std::uint32_t message, Time time);
    void flow(std::uint32_t flow, Time now);
    void note(std::uint32_t message, Side side, Time began, Time ended);

    /// Links of a node: its inside, and each lane in both directions.
    std::uint32_t inside(int node) const
    {
        return static_cast<std::uint32_t>(node * (2 * machine_.lanes + 1));
    }
    std::uint32_t link_of(int node, std::uint32_t lane, Side side) const
    {
        return 2 * lane + static_cast<std::uint32_t>(node) + 1 + (side == Side::in);
    }
    Time lane_work(std::int64_t bytes, std::uint32_t lane) const;

    const Schedule& schedule_;
    const Places& places_;
    const Machine machine_;
    EventQueue& queue_;
    Listener& listener_;
    Trace* const trace_;
    std::vector<Time> posted_;  ///< by message, where some are not eager
    std::vector<Time>
        passed_;  ///< by receive, where lanes are fair, unlike or have bursts: when the first thing was over
    std::vector<Time> began_;           ///< by receive, where messages of a node come in pieces
    std::vector<Time> busy_;            ///< by link: for how long it was busy
    std::vector<Time> free_;            ///< by link: when the last message is over
    std::vector<FairLink> fair_;        ///< by link, in the stead of free_
    std::vector<Bucket> buckets_;       ///< by link, where lanes have bursts
    std::unique_ptr<Network> network_;  ///< where there is something between the lanes
};

}  // namespace laneway
