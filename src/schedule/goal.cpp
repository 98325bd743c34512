// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/goal.hpp"

#include <map>

namespace laneway {
namespace {

using Nanoseconds = std::function<std::int64_t(const Schedule::Step&)>;

/// One rank: its steps are labelled l0, l1 ...; steps after a wait, a copy or a reduction require it.
class Rank {
public:
    Rank(const Schedule& schedule, const Nanoseconds& nanoseconds)
        : schedule_(schedule),
          nanoseconds_(nanoseconds)
    {
    }

    const std::string& text(int rank)
    {
        text_ = "rank " + std::to_string(rank) + " {\n";
        write(schedule_.first_strand(rank), none);
        return text_ += "}\n\n";
    }

private:
    static constexpr int none = -1;

    int add(const std::string& what, int after)
    {
        const int label = next_++;
        name(label);
        text_ += ": " + what + "\n";
        require(label, after);
        return label;
    }

    void require(int label, int before)
    {
        if (before == none) return;
        name(label);
        text_ += " requires ";
        name(before);
        text_ += "\n";
    }

    void name(int label)
    {
        text_ += "l";
        text_ += std::to_string(label);
    }

    int calculate(std::int64_t time, int after)
    {
        return add("calc " + std::to_string(time), after);
    }

    /// Writes a strand, all of which comes after label `after`; returns the label of its last step.
    int write(std::uint32_t strand, int after)
    {
        std::uint32_t message = schedule_.strands()[strand].first_message;
        for (std::uint32_t at = schedule_.strands()[strand].first_step;
             at < schedule_.end_of(strand); ++at) {
            const Schedule::Step& step = schedule_.steps()[at];
            switch (step.kind) {
            case Operation::Kind::send:
                labels_[message] = add(words(step, " to ", message), after);
                ++message;
                break;
            case Operation::Kind::receive:
                labels_[message] =
                    add(words(step, " from ", schedule_.messages()[message].partner), after);
                ++message;
                break;
            case Operation::Kind::wait:
                after = calculate(0, after);
                for (const std::uint32_t awaited : schedule_.awaited(step))
                    require(after, labels_[awaited]);
                break;
            case Operation::Kind::copy:
            case Operation::Kind::reduce:
                after = calculate(nanoseconds_(step), after);
                break;
            case Operation::Kind::fork: {
                const auto child = static_cast<std::uint32_t>(step.peer);
                ends_[child] = write(child, after);
                break;
            }
            case Operation::Kind::join:
                after = calculate(0, after);
                require(after, ends_[static_cast<std::uint32_t>(step.peer)]);
                break;
            case Operation::Kind::pack:
            case Operation::Kind::unpack:
                break;  // over MPI alone
            }
        }
        return after;
    }

    /// Both sides of a message have the number of its send as their tag.
    static std::string words(const Schedule::Step& step, const char* direction, std::uint32_t tag)
    {
        return (step.kind == Operation::Kind::send ? "send " : "recv ") +
               std::to_string(step.bytes) + "b" + direction + std::to_string(step.peer) + " tag " +
               std::to_string(tag);
    }

    const Schedule& schedule_;
    const Nanoseconds& nanoseconds_;
    std::string text_;
    int next_ = 0;
    std::map<std::uint32_t, int> labels_;  ///< labels of messages
    std::map<std::uint32_t, int> ends_;    ///< last labels of strands
};

}  // namespace

void write_goal(const Schedule& schedule, const Nanoseconds& nanoseconds,
                const std::function<void(const std::string& text)>& write)
{
    write("num_ranks " + std::to_string(schedule.ranks()) + "\n\n");
    for (int rank = 0; rank < schedule.ranks(); ++rank)
        write(Rank(schedule, nanoseconds).text(rank));
}

}  // namespace laneway
