// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <string>

#include "bench/probes/collective_call.hpp"
#include "bench/probes/probe.hpp"
#include "bench/text/words.hpp"
#include "library/error.hpp"

/// The rate of each lane of each node, by itself. Process j of a node sends `count` elements to process j of the next
/// node, while all others wait. (Libraries let the two directions of an exchange take turns at times.) A lane that is
/// slower than the others shows in both pairs of its node. There is a pair for each node and each of the first k
/// processes.
namespace laneway::bench {
namespace {

class LaneOfPair final : public Pattern {
public:
    LaneOfPair(const Grid& on, int count, int node, int local)
        : comm_(on.world.handle()),
          processes_(on.world.size()),
          count_(count),
          node_(node),
          local_(local)
    {
        const int ppn = on.node.size(), nodes = processes_ / ppn;
        const int one = node * ppn + local, other = (node + 1) % nodes * ppn + local;
        if (on.world.rank() != one && on.world.rank() != other) return;
        sends_ = on.world.rank() == one;
        peer_ = sends_ ? other : one;
        out_.resize(static_cast<std::size_t>(count));
        in_.resize(out_.size());
        for (std::size_t i = 0; i < out_.size(); ++i)
            out_[i] = contribution(on.world.rank(), static_cast<std::int64_t>(i));
    }

    void exchange() override
    {
        if (peer_ == MPI_PROC_NULL) return;
        check(sends_ ? MPI_Send(out_.data(), count_, MPI_INT, peer_, 0, comm_)
                     : MPI_Recv(in_.data(), count_, MPI_INT, peer_, 0, comm_, MPI_STATUS_IGNORE));
    }

    Row facts() const override
    {
        Row row;
        row.add("communicator", "world")
            .add("virtual_lanes", 1)
            .add("processes", processes_)
            .add("node", node_)
            .add("process", local_);
        return row;
    }

    std::vector<std::int64_t> network_bytes() const override
    {
        return {count_ * static_cast<std::int64_t>(sizeof(int))};
    }

private:
    void reset() override { std::ranges::fill(in_, -1); }

    bool correct() const override
    {
        for (std::size_t i = 0; !sends_ && i < in_.size(); ++i)
            if (in_[i] != contribution(peer_, static_cast<std::int64_t>(i))) return false;
        return true;
    }

    MPI_Comm comm_;
    int processes_;
    int count_;
    int node_;
    int local_;
    int peer_ = MPI_PROC_NULL;
    bool sends_ = false;
    std::vector<int> out_;
    std::vector<int> in_;
};

Patterns patterns(const Grid& on, const ProbeCase& at)
{
    const int nodes = on.world.size() / on.node.size();
    if (nodes < 2) throw Misunderstood("--probe lane-rates: there must be two nodes at least");
    const int processes = std::ranges::max(at.virtual_lanes);
    Patterns all;
    for (int node = 0; node < (nodes > 2 ? nodes : 1); ++node)
        for (int local = 0; local < processes; ++local)
            all.push_back(std::make_unique<LaneOfPair>(on, at.count, node, local));
    return all;
}

const ProbeRegistration registration({.name = "lane-rates",
                                      .collective = "sendrecv",
                                      .any_collective = false,
                                      .inner_repetitions = 1,
                                      .patterns = patterns});

}  // namespace
}  // namespace laneway::bench
