// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <numeric>
#include <string>

#include "bench/probes/collective_call.hpp"
#include "bench/probes/probe.hpp"
#include "bench/text/words.hpp"
#include "library/error.hpp"

/// Messages between two processes, several pairs at once: a machine's latency, bandwidth and work for a message are
/// fitted to them. The process that begins is timed until it has its answer, so that it makes no difference when the
/// others leave the barrier. All nodes, or all pairs of nodes, do the same at once.
///
/// - between: process j < k of a node sends to process j of the next one, which sends as much back.
/// - burst: process j < k of a node sends 16 messages in a row; there is one answer, without data.
/// - cross: the first process of a node sends to the first k of the next one; the answers have no data.
/// - inside: process j < k of a node sends to process j + n/2 of it, which sends as much back.
/// - fan: the first process of a node sends to k others of it, each of which sends as much back.
namespace laneway::bench {
namespace {

/// Who sends to whom.
enum class Path { to_next_node, over_next_node, to_other_half, over_own_node };

struct Kind {
    const char* name;
    Path path;
    int window = 1;       ///< Messages in a row.
    bool answers = true;  ///< Whether answers have as many elements; otherwise they have none.

    bool crosses() const { return path != Path::to_other_half && path != Path::over_own_node; }
};

constexpr std::array kinds = {
    Kind{.name = "between", .path = Path::to_next_node},
    Kind{.name = "burst", .path = Path::to_next_node, .window = 16, .answers = false},
    Kind{.name = "cross", .path = Path::over_next_node, .answers = false},
    Kind{.name = "inside", .path = Path::to_other_half},
    Kind{.name = "fan", .path = Path::over_own_node}};

/// The most processes of a node that can begin, or can be sent to, at once.
int most(const Kind& kind, const Grid& on)
{
    switch (kind.path) {
    case Path::over_own_node:
        return on.node.size() - 1;
    case Path::to_other_half:
        return on.node.size() / 2;
    default:
        return on.node.size();
    }
}

class Messages final : public Pattern {
public:
    Messages(const Grid& on, const Kind& kind, int count, int k)
        : comm_(on.world.handle()),
          self_(on.world.rank()),
          processes_(on.world.size()),
          kind_(kind),
          count_(count),
          k_(k)
    {
        const int ppn = on.node.size(), local = on.node.rank(), node = on.lane.rank();
        const int next = node ^ 1, half = ppn / 2;
        switch (kind.path) {
        case Path::to_next_node:
            if (local < k && next < on.lane.size()) take_part(node < next, {next * ppn + local});
            break;
        case Path::over_next_node:
            if (next == on.lane.size()) break;
            if (node < next && local == 0) take_part(true, told(next * ppn));
            if (node > next && local < k) take_part(false, {next * ppn});
            break;
        case Path::to_other_half:
            if (local < k) take_part(true, {self_ + half});
            if (local >= half && local < half + k) take_part(false, {self_ - half});
            break;
        case Path::over_own_node:
            if (local == 0) take_part(true, told(self_ + 1));
            if (local > 0 && local <= k) take_part(false, {self_ - local});
            break;
        }
    }

    bool counts() const override { return begins_; }

    void exchange() override
    {
        if (peers_.empty()) return;
        for (std::size_t i = 0; i < requests_.size(); ++i) receive(i);
        if (!begins_) wait();
        std::vector<MPI_Request> sends;
        for (const int peer : peers_)
            for (int i = 0; i < (begins_ ? kind_.window : 1); ++i)
                check(MPI_Isend(out_.data(), begins_ || kind_.answers ? count_ : 0, MPI_INT, peer,
                                0, comm_, &sends.emplace_back()));
        check(MPI_Waitall(static_cast<int>(sends.size()), sends.data(), MPI_STATUSES_IGNORE));
        if (begins_) wait();
    }

    Row facts() const override
    {
        Row row;
        row.add("communicator", kind_.crosses() ? "world" : "node")
            .add("virtual_lanes", k_)
            .add("processes", processes_)
            .add("window", kind_.window);
        return row;
    }

    std::vector<std::int64_t> network_bytes() const override
    {
        if (!kind_.crosses()) return {};
        // One process sends to many.
        const std::int64_t own = std::int64_t{count_} * kind_.window * std::int64_t{sizeof(int)};
        if (kind_.path != Path::to_next_node) return {own * k_};
        return std::vector<std::int64_t>(static_cast<std::size_t>(k_), own);
    }

private:
    /// The ranks of k processes, from the first one on.
    std::vector<int> told(int first) const
    {
        std::vector<int> all(static_cast<std::size_t>(k_));
        std::iota(all.begin(), all.end(), first);
        return all;
    }

    void take_part(bool begins, std::vector<int> peers)
    {
        begins_ = begins;
        peers_ = std::move(peers);
        const auto own = static_cast<std::size_t>(count_);
        out_.resize(own);
        for (std::size_t i = 0; i < own; ++i)
            out_[i] = contribution(self_, static_cast<std::int64_t>(i));
        const bool filled = !begins_ || kind_.answers;
        requests_.resize(begins_ ? peers_.size() : static_cast<std::size_t>(kind_.window));
        in_.resize(filled ? own * requests_.size() : 0);
    }

    /// Receives the message that request i is for.
    void receive(std::size_t i)
    {
        const int count = in_.empty() ? 0 : count_;
        check(MPI_Irecv(in_.data() + i * static_cast<std::size_t>(count), count, MPI_INT, sender(i),
                        0, comm_, &requests_[i]));
    }
    int sender(std::size_t i) const { return peers_[begins_ ? i : 0]; }

    void wait()
    {
        check(
            MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE));
    }

    void reset() override { std::ranges::fill(in_, -1); }

    bool correct() const override
    {
        const auto own = static_cast<std::size_t>(count_);
        for (std::size_t at = 0; at < in_.size(); ++at)
            if (in_[at] != contribution(sender(at / own), static_cast<std::int64_t>(at % own)))
                return false;
        return true;
    }

    MPI_Comm comm_;
    int self_;
    int processes_;
    Kind kind_;
    int count_;
    int k_;
    bool begins_ = false;
    std::vector<int> peers_;
    std::vector<int> out_;
    std::vector<int> in_;
    std::vector<MPI_Request> requests_;
};

Patterns patterns(const Grid& on, const ProbeCase& at)
{
    const Kind& kind = named(kinds, &Kind::name, "unknown messages", at.collective);
    Patterns all;
    for (const int k : at.virtual_lanes)
        if (k <= most(kind, on)) all.push_back(std::make_unique<Messages>(on, kind, at.count, k));
    if (all.empty())
        throw Misunderstood("--virtual-lanes: '" + at.collective + "' has at most " +
                            std::to_string(most(kind, on)) + " on such nodes");
    return all;
}

const ProbeRegistration registration_messages({.name = "messages",
                                               .collective = "between",
                                               .any_collective = true,
                                               .inner_repetitions = 1,
                                               .patterns = patterns});

}  // namespace
}  // namespace laneway::bench
