// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/families/replicated.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include "algorithms/families/edge_back.hpp"
#include "algorithms/families/replicas.hpp"
#include "algorithms/families/sums.hpp"
#include "data/partition.hpp"
#include "data/scratch.hpp"
#include "decomposition/components.hpp"
#include "decomposition/node_phase.hpp"
#include "messages/messages.hpp"

namespace laneway {
namespace {

/// Segments that a process may be ahead of its node: it must not wait for a process that has no core
/// just now.
constexpr std::size_t segments_ahead = 8;

}  // namespace

void broadcast_replicated(const Bcast& call, const Decomposition& on, std::int64_t segment,
                          pipelined::Pattern pattern, bool back)
{
    const LaneSegments segments(call.data, segment, on);
    const auto shares = segments.of(call.data);
    const Replicas replicas(call.root, segments.blocks(), pattern, on);
    const std::vector<int> others = replicas.others(), lanes_of_others = replicas.lanes_of_others();
    const auto data = [&](int lane, int block) {
        return shares[static_cast<std::size_t>(lane)][block];
    };
    const int lane_of_root = std::min(on.locate(call.root).local, on.lanes() - 1);
    EdgeBack edge(back, call.root, shares[static_cast<std::size_t>(lane_of_root)],
                  segments.blocks(), replicas, pattern, on);

    Messages arriving(on.world), leaving(on.world), exchange(on.world);
    const int last = std::max(replicas.rounds(), edge.last_round());
    for (int round = 0; round <= last; ++round) {
        arriving.wait();
        if (!replicas.is_root())
            on.for_lanes([&](int lane) {
                for (const auto [block, from] : replicas[round].arriving)
                    arriving.receive(data(lane, block), replicas.rank(from, lane),
                                     Replicas::along(lane));
            });

        // The lanes come first: they must not wait for the node to take the previous block.
        leaving.wait();
        on.for_lanes([&](int lane) {
            for (const auto [block, to] : replicas[round].leaving)
                leaving.send(data(lane, block), replicas.rank(to, lane), Replicas::along(lane));
        });
        if (replicas.is_root())
            for (const int lane : lanes_of_others)
                for (const auto [block, _] : replicas[round].arriving)
                    leaving.send(data(lane, block), replicas.own(lane), Replicas::along(lane));

        edge.round(round);
        exchange.wait(segments_ahead * 2 * (others.size() + 1));
        if (!replicas.is_root())
            for (const int lane : lanes_of_others)
                for (const auto [block, _] : replicas[round - 1].arriving)
                    if (!edge.brings(lane))
                        edge.arriving(lane, exchange)
                            .receive(data(lane, block), replicas.own(lane), Replicas::across(lane));
        if (replicas.is_root() && edge.is_there()) continue;
        on.for_lanes([&](int lane) {
            for (const auto [block, _] : replicas[round - 1].arriving)
                for (const int other : others)
                    if (other != call.root)
                        exchange.send(data(lane, block), other, Replicas::across(lane));
        });
    }
    leaving.wait();
    exchange.wait();
    edge.wait();
}

namespace {

/// The places of the sums: at the root in the result, elsewhere in `owned`, for the lanes that the process serves.
std::vector<Segments> places_of(const Buffer& owned, const Reduce& call,
                                const LaneSegments& segments, const Decomposition& on)
{
    if (on.world.rank() == call.root) return segments.of(call.result);
    std::vector<Segments> places;
    std::int64_t done = 0;
    for (int lane = 0; lane < on.lanes(); ++lane) {
        const std::int64_t size = on.serves(lane) ? segments.part().size(lane) : 0;
        places.push_back(segments.of_share(owned.slice(done, size), lane));
        done += size;
    }
    return places;
}

/// The rounds of a broadcast backwards, as one process takes part in them.
class Reduction {
public:
    Reduction(const Reduce& call, const Decomposition& on, std::int64_t segment,
              pipelined::Pattern pattern)
        : on_(on),
          segments_(call.input, segment, on),
          replicas_(call.root, segments_.blocks(), pattern, on),
          others_(replicas_.others()),
          lanes_of_others_(replicas_.lanes_of_others()),
          in_place_(replicas_.is_root() && call.input.data == call.result.data),
          owned_(replicas_.is_root() ? 0 : owned_count(segments_.part(), on), call.input.type),
          sums_(segments_.of(call.input), places_of(owned_.buffer(), call, segments_, on),
                segments_.blocks(), in_place_, call.op, on.world),
          of_lanes_(lanes_served() * replicas_.most_leaving()),
          of_node_(lanes_served() > 0 ? std::min(at_once, others_.size()) : 0),
          rooms_(static_cast<std::int64_t>(turns * of_lanes_ + of_node_) * segments_.longest(),
                 call.input.type),
          leaving_(on.world),
          exchange_(on.world),
          results_(on.world),
          arriving_{Messages(on.world), Messages(on.world)}
    {
    }

    void run()
    {
        for (int round = replicas_.rounds(); round >= 0; --round) {
            expect_from_lanes(round - 1);
            send_sums(round);
            exchange(round);
            // The node's contributions come first: they need not wait for those that have a way of many rounds.
            add_from_node(round - 1);
            add_from_lanes(round);
        }
        leaving_.wait();
        exchange_.wait();
        results_.wait();
    }

private:
    /// Rounds of lanes that have rooms at once: the next round's data may arrive while the present round's are added.
    static constexpr std::size_t turns = 2;
    /// Contributions of its node that a process takes in at once.
    static constexpr std::size_t at_once = 2;

    /// The sum of a block that others have formed.
    struct Contribution {
        int lane, block;
        Buffer room;
    };

    static std::size_t turn_of(int round) { return static_cast<std::size_t>(round) % turns; }

    std::size_t lanes_served() const
    {
        return static_cast<std::size_t>(on_.lanes()) - lanes_of_others_.size();
    }
    Buffer room(std::size_t index, int lane, int block) const
    {
        return rooms_.buffer().slice(static_cast<std::int64_t>(index) * segments_.longest(),
                                     sums_.place(lane, block).count);
    }

    void expect_from_lanes(int round)
    {
        auto& expected = expected_[turn_of(round)];
        expected.clear();
        on_.for_lanes([&](int lane) {
            for (const auto [block, from] : replicas_[round].leaving) {
                Buffer next = room(turn_of(round) * of_lanes_ + expected.size(), lane, block);
                if (others_.empty()) next = sums_.expect(lane, block, next);
                expected.push_back({lane, block, next});
                arriving_[turn_of(round)].receive(expected.back().room, replicas_.rank(from, lane),
                                                  Replicas::along(lane));
            }
        });
    }

    void add_from_lanes(int round)
    {
        arriving_[turn_of(round)].wait();
        for (const auto& [lane, block, arrived] : expected_[turn_of(round)])
            sums_.add(lane, block, arrived);
    }

    /// Sends complete sums towards the root. The sums of the lanes that the root does not serve go to the root itself.
    void send_sums(int round)
    {
        leaving_.wait();
        on_.for_lanes([&](int lane) {
            for (const auto [block, to] : replicas_[round].arriving)
                if (replicas_.is_root())
                    sums_.begin(lane, block);
                else
                    leaving_.send(sums_.sum(lane, block), replicas_.rank(to, lane),
                                  Replicas::along(lane));
        });
        if (!replicas_.is_root()) return;
        results_.wait(segments_ahead * (others_.size() + 1));
        // In place, results come where the root's own contributions stood, which must have left.
        if (in_place_) exchange_.wait();
        for (const int lane : lanes_of_others_)
            for (const auto [block, _] : replicas_[round].arriving)
                results_.receive(sums_.place(lane, block), replicas_.own(lane),
                                 Replicas::along(lane));
    }

    /// Sends the process's own contributions to the sums that leave the node in the round after this one.
    void exchange(int round)
    {
        exchange_.wait(segments_ahead * (others_.size() + 1));
        for (const int lane : lanes_of_others_)
            for (const auto [block, _] : replicas_[round - 1].arriving)
                exchange_.send(sums_.input(lane, block), replicas_.own(lane),
                               Replicas::across(lane));
    }

    void add_from_node(int round)
    {
        on_.for_lanes([&](int lane) {
            for (const auto [block, _] : replicas_[round].arriving) {
                Messages messages(on_.world);
                std::array<Buffer, at_once> rooms{};
                // The processes that send here first come first.
                const auto receive = [&](std::size_t other) {
                    if (other >= others_.size()) return;
                    const std::size_t index = turns * of_lanes_ + other % at_once;
                    rooms[other % at_once] = sums_.expect(lane, block, room(index, lane, block));
                    messages.receive(rooms[other % at_once], others_[others_.size() - 1 - other],
                                     Replicas::across(lane));
                };
                for (std::size_t other = 0; other < at_once; ++other) receive(other);
                for (std::size_t other = 0; other < others_.size(); ++other) {
                    messages.wait(std::min(at_once, others_.size() - other) - 1);
                    sums_.add(lane, block, rooms[other % at_once]);
                    receive(other + at_once);
                }
            }
        });
    }

    const Decomposition& on_;
    const LaneSegments segments_;
    const Replicas replicas_;
    const std::vector<int> others_, lanes_of_others_;
    const bool in_place_;
    const Scratch owned_;
    Sums sums_;
    const std::size_t of_lanes_,
        of_node_;  ///< rooms for the contributions of a round of lanes, and of the node
    const Scratch rooms_;
    Messages leaving_, exchange_, results_;
    std::array<Messages, turns> arriving_;
    std::array<std::vector<Contribution>, turns> expected_;
};

}  // namespace

void reduce_replicated(const Reduce& call, const Decomposition& on, std::int64_t segment,
                       pipelined::Pattern pattern)
{
    Reduction(call, on, segment, pattern).run();
}

}  // namespace laneway
