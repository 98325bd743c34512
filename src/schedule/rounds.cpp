// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/rounds.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>

namespace laneway {
namespace {

/// Lets strands go on, in the order of time, as long as the messages that they wait for have rounds, until all have
/// ended. `PlaceOf` says in which round a message is sent, of those from the earliest possible one on.
template <class PlaceOf>
class Rounds {
public:
    Rounds(const Schedule& schedule, PlaceOf place_of)
        : schedule_(schedule),
          place_of_(std::move(place_of)),
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
        for (int rank = 0; rank < schedule_.ranks(); ++rank) go_on(schedule_.first_strand(rank), 0);
        for (now_ = 0; now_ < ready_.size(); ++now_)
            for (std::size_t next = 0; next < ready_[now_].size(); ++next)
                advance(ready_[now_][next]);
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

    /// A strand can go on after so many rounds.
    void go_on(std::uint32_t strand, std::uint32_t round)
    {
        if (ready_.size() <= round) ready_.resize(round + 1);
        ready_[round].push_back(strand);
    }

    void advance(std::uint32_t strand)
    {
        Progress& self = strands_[strand];
        const std::uint32_t last = schedule_.end_of(strand);
        for (; self.step < last; ++self.step)
            if (!carry_out(strand, schedule_.steps()[self.step])) return;
        self.ended = true;
        const std::uint32_t parent = schedule_.first_strand(schedule_.strands()[strand].rank);
        if (strands_[parent].joins == strand) {
            strands_[parent].joins = none;
            go_on(parent, now_);
        }
    }

    /// Returns false where the strand must wait, and comes back to this step.
    bool carry_out(std::uint32_t strand, const Schedule::Step& step)
    {
        Progress& self = strands_[strand];
        switch (step.kind) {
        case Operation::Kind::send:
            // A message of a rank to itself is no more than a copy.
            send(self.message,
                 schedule_.rank_of(self.message) == step.peer
                     ? self.latest
                     : place_of_(schedule_.rank_of(self.message), step.peer, self.latest + 1));
            ++self.message;
            return true;
        case Operation::Kind::receive:
            ++self.message;
            return true;
        case Operation::Kind::wait:
            return wait(strand, step);
        case Operation::Kind::fork:
            strands_[static_cast<std::size_t>(step.peer)].latest = self.latest;
            go_on(static_cast<std::uint32_t>(step.peer), now_);
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
        if (--strands_[strand].outstanding == 0) go_on(strand, round);
    }

    bool wait(std::uint32_t strand, const Schedule::Step& step)
    {
        Progress& self = strands_[strand];
        for (const std::uint32_t message : schedule_.awaited(step))
            if (rounds_[message] == none) {
                awaited_[message] = true;
                ++self.outstanding;
            }
        if (self.outstanding > 0) return false;
        for (const std::uint32_t message : schedule_.awaited(step))
            self.latest = std::max(self.latest, rounds_[message]);
        if (self.latest <= now_) return true;
        go_on(strand, self.latest);
        return false;
    }

    const Schedule& schedule_;
    PlaceOf place_of_;
    std::vector<std::uint32_t> rounds_;
    std::vector<bool> awaited_;
    std::vector<Progress> strands_;
    std::vector<std::vector<std::uint32_t>>
        ready_;  ///< by round: the strands that can go on after it
    std::uint32_t now_ = 0;
};

/// Lanes, and pairs of processes of a node, that carry a message in a step.
class Ports {
public:
    Ports(const Layout& layout, int lanes)
        : layout_(layout),
          lanes_(lanes),
          out_(static_cast<std::size_t>(layout.nodes()) * static_cast<std::size_t>(lanes), 1),
          in_(out_)
    {
    }

    /// The first step from `earliest` on in which a message can go.
    std::uint32_t operator()(int from, int to, std::uint32_t earliest)
    {
        const Layout::Place start = layout_.locate(from), end = layout_.locate(to);
        if (start.node == end.node) {
            std::uint32_t& free = inside_[static_cast<std::uint64_t>(from) * ranks() +
                                          static_cast<std::uint64_t>(to)];
            const std::uint32_t step = std::max(free, earliest);
            free = step + 1;
            return step;
        }
        std::uint32_t &out = out_[lane_of(start)], &in = in_[lane_of(end)];
        const std::uint32_t step = std::max({out, in, earliest});
        out = in = step + 1;
        return step;
    }

private:
    std::uint64_t ranks() const { return static_cast<std::uint64_t>(layout_.ranks()); }
    std::size_t lane_of(Layout::Place place) const
    {
        return static_cast<std::size_t>(place.node * lanes_ + place.local % lanes_);
    }

    const Layout& layout_;
    int lanes_;
    std::vector<std::uint32_t> out_, in_;  ///< by lane: the first step in which it is free
    std::unordered_map<std::uint64_t, std::uint32_t> inside_;  ///< by pair: its first free step
};

}  // namespace

std::vector<std::uint32_t> rounds_of(const Schedule& schedule)
{
    return Rounds(schedule, [](int, int, std::uint32_t earliest) { return earliest; }).all();
}

std::uint32_t unit_steps_of(const Schedule& schedule, const Layout& layout, int lanes)
{
    const auto steps = Rounds(schedule, Ports(layout, lanes)).all();
    return steps.empty() ? 0 : std::ranges::max(steps);
}

}  // namespace laneway
