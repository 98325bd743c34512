// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <utility>

#include "bench/probes/collective_call.hpp"
#include "bench/probes/probe.hpp"

/// Node against lane: the same collective among processes of the first node, and among as many processes of different
/// nodes, min(n, N) both times. Algorithms that spread data over the processes of a node count on the node being the
/// faster by far. `count` is the count in the MPI call.
namespace laneway::bench {
namespace {

class OneCollective final : public Pattern {
public:
    OneCollective(const char* communicator, const NativeCollective& collective, int count,
                  int processes, Comm comm, bool crosses_network)
        : communicator_(communicator),
          processes_(processes),
          comm_(std::move(comm)),
          call_(collective, count, comm_.handle()),
          carried_(collective.moved(count, processes) * static_cast<std::int64_t>(sizeof(int))),
          crosses_network_(crosses_network)
    {
    }

    void exchange() override { call_.exchange(); }

    Row facts() const override
    {
        Row row;
        return row.add("communicator", communicator_)
            .add_null("virtual_lanes")
            .add("processes", processes_);
    }

    std::vector<std::int64_t> network_bytes() const override
    {
        return crosses_network_ ? std::vector<std::int64_t>{carried_} : std::vector<std::int64_t>{};
    }

private:
    void reset() override { call_.reset(); }
    bool correct() const override { return call_.correct(); }

    const char* communicator_;
    int processes_;
    Comm comm_;
    CollectiveCall call_;
    std::int64_t carried_;
    bool crosses_network_;
};

Patterns patterns(const Grid& on, const ProbeCase& at)
{
    const NativeCollective& collective = native_collective(at.collective);
    const int node = on.lane.rank();
    const int local = on.node.rank();
    const int processes = std::min(on.lane.size(), on.node.size());
    const auto among = [&](bool member) {
        return Comm::split(on.world.handle(), member ? 0 : MPI_UNDEFINED, on.world.rank());
    };
    Patterns all;
    all.push_back(std::make_unique<OneCollective>("node", collective, at.count, processes,
                                                  among(node == 0 && local < processes), false));
    all.push_back(std::make_unique<OneCollective>("lane", collective, at.count, processes,
                                                  among(local == 0 && node < processes), true));
    return all;
}

const ProbeRegistration registration({.name = "node-vs-lane",
                                      .collective = "allgather",
                                      .any_collective = true,
                                      .inner_repetitions = 1,
                                      .patterns = patterns});

}  // namespace
}  // namespace laneway::bench
