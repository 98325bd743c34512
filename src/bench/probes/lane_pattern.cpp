// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <string>

#include "bench/probes/collective_call.hpp"
#include "bench/probes/probe.hpp"
#include "library/error.hpp"

/// The lane pattern: each node sends `count` elements to the next and receives as many from the one before. The first
/// k processes of a node share them evenly, and the first takes what is left over. Rank i sends to i + n and receives
/// from i - n. Nodes with k lanes should be k times as fast.
namespace laneway::bench {
namespace {

class LanePattern final : public Pattern {
public:
    LanePattern(const Grid& on, int count, int lanes)
        : comm_(on.world.handle()),
          processes_(on.world.size()),
          count_(count),
          lanes_(lanes)
    {
        const int ppn = on.node.size();
        const int local = on.node.rank();
        if (local >= lanes_) return;
        to_ = (on.world.rank() + ppn) % processes_;
        from_ = (on.world.rank() + processes_ - ppn) % processes_;
        const auto own = static_cast<std::size_t>(share(local));
        out_.resize(own);
        in_.resize(own);
        for (std::size_t i = 0; i < own; ++i)
            out_[i] = contribution(on.world.rank(), static_cast<std::int64_t>(i));
    }

    void exchange() override
    {
        if (to_ == MPI_PROC_NULL) return;
        const int own = static_cast<int>(out_.size());
        check(MPI_Sendrecv(out_.data(), own, MPI_INT, to_, 0, in_.data(), own, MPI_INT, from_, 0,
                           comm_, MPI_STATUS_IGNORE));
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
            bytes.push_back(share(local) * static_cast<std::int64_t>(sizeof(int)));
        return bytes;
    }

private:
    std::int64_t share(int local) const
    {
        return count_ / lanes_ + (local == 0 ? count_ % lanes_ : 0);
    }

    void reset() override { std::ranges::fill(in_, -1); }

    bool correct() const override
    {
        for (std::size_t i = 0; i < in_.size(); ++i)
            if (in_[i] != contribution(from_, static_cast<std::int64_t>(i))) return false;
        return true;
    }

    MPI_Comm comm_;
    int processes_;
    int count_;
    int lanes_;
    int to_ = MPI_PROC_NULL;
    int from_ = MPI_PROC_NULL;
    std::vector<int> out_;
    std::vector<int> in_;
};

Patterns patterns(const Grid& on, const ProbeCase& at)
{
    Patterns all;
    for (const int lanes : at.virtual_lanes)
        all.push_back(std::make_unique<LanePattern>(on, at.count, lanes));
    return all;
}

const ProbeRegistration registration({.name = "lane-pattern",
                                      .collective = "sendrecv",
                                      .any_collective = false,
                                      .inner_repetitions = 10,
                                      .patterns = patterns});

}  // namespace
}  // namespace laneway::bench
