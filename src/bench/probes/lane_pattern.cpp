// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <span>

#include "bench/probes/collective_call.hpp"
#include "bench/probes/probe.hpp"
#include "library/error.hpp"
#include "patterns/neighbours.hpp"

/// The lane pattern: each node sends `count` elements to another node, and receives as many. The first k processes of
/// a node share them evenly, and the first takes what is left over. A process exchanges with that of its own number on
/// the other node. Nodes with k lanes should be k times as fast. Probes differ in which nodes exchange.
namespace laneway::bench {
namespace {

class LanePattern final : public Pattern {
public:
    LanePattern(const Grid& on, const NodePattern& between, int count, int lanes)
        : comm_(on.world.handle()),
          processes_(on.world.size()),
          ppn_(on.node.size()),
          local_(on.node.rank()),
          count_(count),
          lanes_(lanes)
    {
        const int nodes = processes_ / ppn_;
        for (int node = 0; node < nodes; ++node)
            busiest_ = std::max(busiest_, messages(between.steps(node, nodes)));
        if (local_ >= lanes_) return;
        steps_ = between.steps(on.world.rank() / ppn_, nodes);
        const auto own = static_cast<std::size_t>(share(local_));
        out_.resize(own);
        for (std::size_t i = 0; i < own; ++i)
            out_[i] = contribution(on.world.rank(), static_cast<std::int64_t>(i));
        in_.assign(static_cast<std::size_t>(messages(steps_)), std::vector<int>(own));
    }

    void exchange() override
    {
        std::size_t arrived = 0;
        for (const Neighbours& step : steps_) {
            const std::span arriving = std::span(in_).subspan(arrived, step.from.size());
            if (step.to.size() == 1 && step.from.size() == 1)
                send_and_receive(step, arriving[0]);
            else
                exchange(step, arriving);
            arrived += step.from.size();
        }
    }

    Row facts() const override
    {
        Row row;
        row.add("communicator", "world").add("virtual_lanes", lanes_).add("processes", processes_);
        return row;
    }

    std::vector<std::int64_t> network_bytes() const override
    {
        std::vector<std::int64_t> bytes;
        for (int local = 0; local < lanes_; ++local)
            bytes.push_back(busiest_ * share(local) * static_cast<std::int64_t>(sizeof(int)));
        return bytes;
    }

private:
    /// The messages that a node receives: as many as it sends.
    static std::int64_t messages(const std::vector<Neighbours>& steps)
    {
        std::int64_t all = 0;
        for (const Neighbours& step : steps) all += static_cast<std::int64_t>(step.from.size());
        return all;
    }

    std::int64_t share(int local) const
    {
        return count_ / lanes_ + (local == 0 ? count_ % lanes_ : 0);
    }

    int rank_on(int node) const { return node * ppn_ + local_; }
    int own() const { return static_cast<int>(out_.size()); }

    void send_and_receive(const Neighbours& step, std::vector<int>& in)
    {
        check(MPI_Sendrecv(out_.data(), own(), MPI_INT, rank_on(step.to[0]), 0, in.data(), own(),
                           MPI_INT, rank_on(step.from[0]), 0, comm_, MPI_STATUS_IGNORE));
    }

    /// With a node that is both of the others, the first message that is received is the first that it has sent.
    void exchange(const Neighbours& step, std::span<std::vector<int>> in)
    {
        requests_.clear();
        for (std::size_t i = 0; i < step.from.size(); ++i)
            check(MPI_Irecv(in[i].data(), own(), MPI_INT, rank_on(step.from[i]), 0, comm_,
                            &requests_.emplace_back()));
        for (const int node : step.to)
            check(MPI_Isend(out_.data(), own(), MPI_INT, rank_on(node), 0, comm_,
                            &requests_.emplace_back()));
        check(
            MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE));
    }

    void reset() override
    {
        for (auto& in : in_) std::ranges::fill(in, -1);
    }

    bool correct() const override
    {
        std::size_t arrived = 0;
        for (const Neighbours& step : steps_)
            for (const int node : step.from) {
                const std::vector<int>& in = in_[arrived++];
                for (std::size_t i = 0; i < in.size(); ++i)
                    if (in[i] != contribution(rank_on(node), static_cast<std::int64_t>(i)))
                        return false;
            }
        return true;
    }

    MPI_Comm comm_;
    int processes_, ppn_, local_;
    int count_;
    int lanes_;
    std::int64_t busiest_ = 0;  ///< Messages of the node that has most.
    std::vector<Neighbours> steps_;
    std::vector<int> out_;
    std::vector<std::vector<int>> in_;  ///< A message each.
    std::vector<MPI_Request> requests_;
};

template <const auto& between>
Patterns patterns(const Grid& on, const ProbeCase& at)
{
    Patterns all;
    for (const int lanes : at.virtual_lanes)
        all.push_back(std::make_unique<LanePattern>(on, *node_pattern(between), at.count, lanes));
    return all;
}

constexpr char next[] = "next", pairs[] = "pairs", both[] = "both", all[] = "all",
               hypercube[] = "hypercube";

Probe probe_of(const char* name, Patterns (*patterns)(const Grid&, const ProbeCase&))
{
    return {.name = name,
            .collective = "sendrecv",
            .any_collective = false,
            .inner_repetitions = 10,
            .patterns = patterns};
}

const ProbeRegistration registrations[] = {
    ProbeRegistration(probe_of("lane-pattern", patterns<next>)),
    ProbeRegistration(probe_of("lane-pairs", patterns<pairs>)),
    ProbeRegistration(probe_of("lane-both", patterns<both>)),
    ProbeRegistration(probe_of("lane-all", patterns<all>)),
    ProbeRegistration(probe_of("lane-hypercube", patterns<hypercube>))};

}  // namespace
}  // namespace laneway::bench
