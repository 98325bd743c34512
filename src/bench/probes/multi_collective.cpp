// SPDX-License-Identifier: BSD-3-Clause
#include <memory>
#include <utility>

#include "bench/probes/collective_call.hpp"
#include "bench/probes/probe.hpp"

/// The multi-collective pattern: the same collective on the first k lane communicators at once, each of one process a
/// node. `count` is the number of elements on a process, in all blocks together. Nodes with k lanes should sustain k
/// collectives in the time of one.
namespace laneway::bench {
namespace {

class MultiCollective final : public Pattern {
public:
    /// `call` is the calling process's own, on its lane of `processes`; it moves `carried` bytes.
    MultiCollective(std::shared_ptr<CollectiveCall> call, int processes, std::int64_t carried,
                    int lanes, bool takes_part)
        : call_(std::move(call)),
          processes_(processes),
          carried_(carried),
          lanes_(lanes),
          takes_part_(takes_part)
    {
    }

    void exchange() override
    {
        if (takes_part_) call_->exchange();
    }

    Row facts() const override
    {
        Row row;
        return row.add("communicator", "lane")
            .add("virtual_lanes", lanes_)
            .add("processes", processes_);
    }

    std::vector<std::int64_t> network_bytes() const override
    {
        return std::vector<std::int64_t>(static_cast<std::size_t>(lanes_), carried_);
    }

private:
    void reset() override { call_->reset(); }
    bool correct() const override { return !takes_part_ || call_->correct(); }

    std::shared_ptr<CollectiveCall> call_;
    int processes_;
    std::int64_t carried_;
    int lanes_;
    bool takes_part_;
};

Patterns patterns(const Grid& on, const ProbeCase& at)
{
    const NativeCollective& collective = native_collective(at.collective);
    const int nodes = on.lane.size();
    // The count is rounded up: even of a few elements, some are moved.
    const int count = collective.blocks ? at.count / nodes + (at.count % nodes != 0) : at.count;
    const int lane = on.node.rank();
    const auto call = std::make_shared<CollectiveCall>(collective, count, on.lane.handle());
    const auto carried = collective.moved(count, nodes) * static_cast<std::int64_t>(sizeof(int));
    Patterns all;
    for (const int lanes : at.virtual_lanes)
        all.push_back(std::make_unique<MultiCollective>(call, nodes, carried, lanes, lane < lanes));
    return all;
}

const ProbeRegistration registration({.name = "multi-collective",
                                      .collective = "alltoall",
                                      .any_collective = true,
                                      .inner_repetitions = 1,
                                      .patterns = patterns});

}  // namespace
}  // namespace laneway::bench
