// SPDX-License-Identifier: BSD-3-Clause
#include "decomposition/replicated.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include "decomposition/components.hpp"
#include "decomposition/node_phase.hpp"
#include "decomposition/replicas.hpp"
#include "decomposition/sums.hpp"
#include "mpi/messages.hpp"
#include "mpi/partition.hpp"
#include "mpi/scratch.hpp"

namespace laneway {
namespace {

/// Segments that a process may be ahead of its node: it must not wait for one that has no core just
/// now.
constexpr std::size_t segments_ahead = 8;

}  // namespace

void broadcast_replicated(const Bcast& call, const Decomposition& on, std::int64_t segment,
                          pipelined::Pattern pattern)
{
    const auto shares = shares_of(call.data, segment, on);
    const Replicas replicas(call.root, shares[0].count(), pattern, on);
    const auto& node = on.members(on.node_index());
    const int self = on.world.rank();
    const auto data = [&](int lane, int block) {
        return shares[static_cast<std::size_t>(lane)][block];
    };

    Messages arriving(on.world), leaving(on.world), exchange(on.world);
    for (int round = 0; round <= replicas.rounds(); ++round) {
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
        for (int lane = 0; lane < on.lanes(); ++lane)
            for (const auto [block, _] : replicas[round].arriving)
                if (replicas.is_root() && !on.serves(lane))
                    leaving.send(data(lane, block), replicas.own(lane), Replicas::along(lane));

        exchange.wait(segments_ahead * 2 * node.size());
        for (int lane = 0; lane < on.lanes(); ++lane)
            for (const auto [block, _] : replicas[round - 1].arriving) {
                if (!on.serves(lane) && !replicas.is_root())
                    exchange.receive(data(lane, block), replicas.own(lane), Replicas::across(lane));
                for (const int peer : node)
                    if (on.serves(lane) && peer != self && peer != call.root)
                        exchange.send(data(lane, block), peer, Replicas::across(lane));
            }
    }
    leaving.wait();
    exchange.wait();
}

namespace {

/// At the root they form in the result, elsewhere in `owned`, for the lanes that the process serves.
std::vector<Segments> places_of(const Buffer& owned, const Reduce& call, std::int64_t segment,
                                const Decomposition& on)
{
    if (on.world.rank() == call.root) return shares_of(call.result, segment, on);
    const Partition part(call.input.count, on.lanes());
    std::vector<Segments> places;
    std::int64_t done = 0;
    for (int lane = 0; lane < on.lanes(); ++lane) {
        const std::int64_t size = on.serves(lane) ? part.size(lane) : 0;
        places.emplace_back(owned.slice(done, size), segment);
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
          node_(on.members(on.node_index())),
          inputs_(shares_of(call.input, segment, on)),
          replicas_(call.root, inputs_[0].count(), pattern, on),
          in_place_(replicas_.is_root() && call.input.data == call.result.data),
          owned_(replicas_.is_root() ? 0 : owned_count({call.input.count, on.lanes()}, on),
                 call.input.type),
          sums_(inputs_, places_of(owned_.buffer(), call, segment, on), in_place_, call.op),
          of_lanes_(lanes_served() * replicas_.most_leaving()),
          of_node_(lanes_served() > 0 && node_.size() > 1 ? at_once : 0),
          rooms_(static_cast<std::int64_t>(turns * of_lanes_ + of_node_) * inputs_[0][0].count,
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
            add_from_lanes(round);
            add_from_node(round - 1);
        }
        leaving_.wait();
        exchange_.wait();
        results_.wait();
    }

private:
    /// Rounds of lanes that have rooms at once: the next one's may arrive while the present one's are added.
    static constexpr std::size_t turns = 2;
    /// Contributions of its node that a process takes in at once.
    static constexpr std::size_t at_once = 2;

    static std::size_t turn_of(int round) { return static_cast<std::size_t>(round) % turns; }

    std::size_t lanes_served() const
    {
        std::size_t served = 0;
        on_.for_lanes([&](int) { ++served; });
        return served;
    }
    Buffer room(std::size_t index) const
    {
        const std::int64_t length = inputs_[0][0].count;
        return rooms_.buffer().slice(static_cast<std::int64_t>(index) * length, length);
    }

    void expect_from_lanes(int round)
    {
        auto& arrivals = arrivals_[turn_of(round)];
        arrivals.clear();
        on_.for_lanes([&](int lane) {
            for (const auto [block, from] : replicas_[round].leaving) {
                const Buffer next = room(turn_of(round) * of_lanes_ + arrivals.size());
                arrivals.push_back(sums_.expect(lane, block, next));
                arriving_[turn_of(round)].receive(arrivals.back().place, replicas_.rank(from, lane),
                                                  Replicas::along(lane));
            }
        });
    }

    void add_from_lanes(int round)
    {
        arriving_[turn_of(round)].wait();
        for (const auto& arrival : arrivals_[turn_of(round)]) sums_.add(arrival);
    }

    /// Sums that are complete: to the parents, or, of the lanes that it does not serve, to the root.
    void send_sums(int round)
    {
        leaving_.wait();
        on_.for_lanes([&](int lane) {
            for (const auto [block, to] : replicas_[round].arriving)
                if (!replicas_.is_root())
                    leaving_.send(sums_.sum(lane, block), replicas_.rank(to, lane),
                                  Replicas::along(lane));
                else if (!sums_.has_begun(lane, block))
                    copy(sums_.input(lane, block), sums_.place(lane, block), on_.world);
        });
        results_.wait(segments_ahead * node_.size());
        // In place, they come where the root's own contributions must have left.
        if (in_place_) exchange_.wait();
        for (int lane = 0; lane < on_.lanes(); ++lane)
            for (const auto [block, _] : replicas_[round].arriving)
                if (replicas_.is_root() && !on_.serves(lane))
                    results_.receive(sums_.place(lane, block), replicas_.own(lane),
                                     Replicas::along(lane));
    }

    /// The own contributions to what leaves the node in the round after this one.
    void exchange(int round)
    {
        exchange_.wait(segments_ahead * node_.size());
        for (int lane = 0; lane < on_.lanes(); ++lane)
            for (const auto [block, _] : replicas_[round - 1].arriving)
                if (!on_.serves(lane))
                    exchange_.send(sums_.input(lane, block), replicas_.own(lane),
                                   Replicas::across(lane));
    }

    void add_from_node(int round)
    {
        struct Contribution {
            int lane, block, peer;
        };
        std::vector<Contribution> contributions;
        on_.for_lanes([&](int lane) {
            for (const auto [block, _] : replicas_[round].arriving)
                for (const int peer : node_)
                    if (peer != on_.world.rank() && sums_.place(lane, block).count > 0)
                        contributions.push_back({lane, block, peer});
        });
        Messages messages(on_.world);
        std::vector<Sums::Arrival> arrivals;
        for (std::size_t added = 0; added < contributions.size(); ++added) {
            while (arrivals.size() < std::min(contributions.size(), added + at_once)) {
                const auto [lane, block, peer] = contributions[arrivals.size()];
                const Buffer next = room(turns * of_lanes_ + arrivals.size() % at_once);
                arrivals.push_back(sums_.expect(lane, block, next));
                messages.receive(arrivals.back().place, peer, Replicas::across(lane));
            }
            messages.wait(arrivals.size() - added - 1);
            sums_.add(arrivals[added]);
        }
    }

    const Decomposition& on_;
    const std::vector<int>& node_;
    const std::vector<Segments> inputs_;
    const Replicas replicas_;
    const bool in_place_;
    const Scratch owned_;
    Sums sums_;
    const std::size_t of_lanes_,
        of_node_;  ///< rooms for what a round of lanes, and what the node contributes
    const Scratch rooms_;
    Messages leaving_, exchange_, results_;
    std::array<Messages, turns> arriving_;
    std::array<std::vector<Sums::Arrival>, turns> arrivals_;
};

}  // namespace

void reduce_replicated(const Reduce& call, const Decomposition& on, std::int64_t segment,
                       pipelined::Pattern pattern)
{
    Reduction(call, on, segment, pattern).run();
}

}  // namespace laneway
