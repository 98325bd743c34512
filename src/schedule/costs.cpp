// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/costs.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace laneway {
namespace {

/// Lets all strands go on as long as the messages that they wait for have rounds, until all have ended.
class Rounds {
public:
    explicit Rounds(const Schedule& schedule)
        : schedule_(schedule),
          rounds_(schedule.messages().size(), none),
          awaited_(schedule.messages().size(), false),
          strands_(schedule.strands().size())
    {
        for (std::uint32_t strand = 0; strand < strands_.size(); ++strand) {
            strands_[strand].step = schedule.strands()[strand].first_step;
            strands_[strand].message = schedule.strands()[strand].first_message;
        }
    }

    std::vector<std::uint32_t> all()
    {
        for (int rank = schedule_.ranks(); rank-- > 0;)
            ready_.push_back(schedule_.first_strand(rank));
        while (!ready_.empty()) {
            const std::uint32_t strand = ready_.back();
            ready_.pop_back();
            advance(strand);
        }
        for (int rank = 0; rank < schedule_.ranks(); ++rank)
            if (!strands_[schedule_.first_strand(rank)].ended)
                throw std::logic_error("a deadlock: rank " + std::to_string(rank) + " never ends");
        return std::move(rounds_);
    }

private:
    static constexpr std::uint32_t none = ~std::uint32_t{0};
    struct Progress {
        std::uint32_t step = 0, message = 0;
        std::uint32_t latest = 0;  ///< latest round of messages it has waited for
        std::uint32_t outstanding = 0;
        std::uint32_t joins = none;
        bool ended = false;
    };

    void advance(std::uint32_t strand)
    {
        Progress& self = strands_[strand];
        const std::uint32_t last = schedule_.end_of(strand);
        for (; self.step < last; ++self.step)
            if (!carry_out(self, schedule_.steps()[self.step])) return;
        self.ended = true;
        const std::uint32_t parent = schedule_.first_strand(schedule_.strands()[strand].rank);
        if (strands_[parent].joins == strand) {
            strands_[parent].joins = none;
            ready_.push_back(parent);
        }
    }

    /// Returns false where the strand must wait, and comes back to this step.
    bool carry_out(Progress& self, const Schedule::Step& step)
    {
        switch (step.kind) {
        case Operation::Kind::send:
            // A message of a rank to itself is no more than a copy.
            send(self.message,
                 schedule_.rank_of(self.message) == step.peer ? self.latest : self.latest + 1);
            ++self.message;
            return true;
        case Operation::Kind::receive:
            ++self.message;
            return true;
        case Operation::Kind::wait:
            return wait(self, step);
        case Operation::Kind::fork:
            strands_[static_cast<std::size_t>(step.peer)].latest = self.latest;
            ready_.push_back(static_cast<std::uint32_t>(step.peer));
            return true;
        case Operation::Kind::join: {
            const Progress& child = strands_[static_cast<std::size_t>(step.peer)];
            if (child.ended)
                self.latest = std::max(self.latest, child.latest);
            else
                self.joins = static_cast<std::uint32_t>(step.peer);
            return child.ended;
        }
        case Operation::Kind::copy:
        case Operation::Kind::reduce:
        case Operation::Kind::pack:
        case Operation::Kind::unpack:
            return true;
        }
        return true;
    }

    void send(std::uint32_t message, std::uint32_t round)
    {
        const std::uint32_t partner = schedule_.messages()[message].partner;
        rounds_[message] = rounds_[partner] = round;
        if (!awaited_[partner]) return;
        awaited_[partner] = false;
        const std::uint32_t strand = schedule_.messages()[partner].strand;
        if (--strands_[strand].outstanding == 0) ready_.push_back(strand);
    }

    bool wait(Progress& self, const Schedule::Step& step)
    {
        for (const std::uint32_t message : schedule_.awaited(step))
            if (rounds_[message] == none) {
                awaited_[message] = true;
                ++self.outstanding;
            }
        if (self.outstanding > 0) return false;
        for (const std::uint32_t message : schedule_.awaited(step))
            self.latest = std::max(self.latest, rounds_[message]);
        return true;
    }

    const Schedule& schedule_;
    std::vector<std::uint32_t> rounds_;
    std::vector<bool> awaited_;
    std::vector<Progress> strands_;
    std::vector<std::uint32_t> ready_;
};

std::int64_t most_of(const std::vector<Traffic>& all)
{
    std::int64_t most = 0;
    for (const Traffic& one : all) most = std::max(most, one.most());
    return most;
}

}  // namespace

std::vector<std::uint32_t> rounds_of(const Schedule& schedule) { return Rounds(schedule).all(); }

Costs costs_of(const Schedule& schedule, const Layout& layout, int network_lanes)
{
    const auto ranks = static_cast<std::size_t>(layout.ranks());
    const auto nodes = static_cast<std::size_t>(layout.nodes());
    const auto lanes = static_cast<std::size_t>(network_lanes);
    std::vector<Traffic> bytes(ranks), messages(ranks), of_nodes(nodes);
    Costs costs{.scratch_bytes = schedule.scratch_bytes(),
                .of_lanes = std::vector<Traffic>(nodes * lanes),
                .inside = std::vector<std::int64_t>(nodes)};
    const auto lane_of = [&](Layout::Place place) -> Traffic& {
        return costs.of_lanes[static_cast<std::size_t>(place.node) * lanes +
                              static_cast<std::size_t>(place.local) % lanes];
    };

    for (std::uint32_t message = 0; message < schedule.messages().size(); ++message) {
        if (!schedule.is_send(message)) continue;
        const Schedule::Step& step = schedule.step_of(message);
        const int from = schedule.rank_of(message), to = step.peer;
        if (from == to) continue;
        ++costs.messages;
        ++messages[static_cast<std::size_t>(from)].sent;
        ++messages[static_cast<std::size_t>(to)].received;
        bytes[static_cast<std::size_t>(from)].sent += step.bytes;
        bytes[static_cast<std::size_t>(to)].received += step.bytes;
        const Layout::Place start = layout.locate(from), end = layout.locate(to);
        if (start.node == end.node) {
            costs.inside[static_cast<std::size_t>(start.node)] += step.bytes;
            continue;
        }
        of_nodes[static_cast<std::size_t>(start.node)].sent += step.bytes;
        of_nodes[static_cast<std::size_t>(end.node)].received += step.bytes;
        lane_of(start).sent += step.bytes;
        lane_of(end).received += step.bytes;
    }

    const auto rounds = rounds_of(schedule);
    costs.rounds = rounds.empty() ? 0 : std::ranges::max(rounds);
    costs.process_messages = most_of(messages);
    costs.process_bytes = most_of(bytes);
    costs.lane_bytes = most_of(costs.of_lanes);
    costs.node_bytes = most_of(of_nodes);
    costs.inside_bytes = costs.inside.empty() ? 0 : std::ranges::max(costs.inside);
    return costs;
}

}  // namespace laneway
