// SPDX-License-Identifier: BSD-3-Clause
#include "bench/counters.hpp"

#include <fstream>
#include <map>
#include <sstream>

#include "core/settings.hpp"
#include "mpi/error.hpp"

namespace laneway::bench {
namespace {

/// Bytes sent so far by each device that this process sees, see proc_pid_net(5).
std::map<std::string, std::int64_t> sent_by_device()
{
    constexpr int fields_before = 8;  // All that is received.
    std::map<std::string, std::int64_t> sent;
    std::ifstream file("/proc/self/net/dev");
    for (std::string line; std::getline(file, line);) {
        const auto colon = line.find(':');
        if (colon == std::string::npos) continue;  // A heading.
        std::istringstream fields(line.substr(colon + 1));
        std::int64_t value = 0;
        for (int field = 0; field <= fields_before; ++field) fields >> value;
        const std::string name = line.substr(line.find_first_not_of(' '));
        sent[name.substr(0, name.find(':'))] = value;
    }
    sent.erase("lo");
    return sent;
}

}  // namespace

Counters::Counters(const Decomposition& nodes, MPI_Comm comm) : comm_(comm)
{
    const auto settings = Settings::own();
    if (settings->node_size() > 0 || !settings->node_map().empty()) return;

    reads_ = nodes.locate(nodes.world.rank()).local == 0;
    std::string names;
    if (nodes.world.rank() == 0)
        for (const auto& [name, bytes] : sent_by_device()) names += name + '\n';
    int length = static_cast<int>(names.size());
    check(MPI_Bcast(&length, 1, MPI_INT, 0, comm_));
    names.resize(static_cast<std::size_t>(length));
    check(MPI_Bcast(names.data(), length, MPI_CHAR, 0, comm_));
    std::istringstream lines(names);
    for (std::string name; std::getline(lines, name);) devices_.push_back(name);
    before_ = now();
}

std::vector<std::int64_t> Counters::advance()
{
    const std::vector<std::int64_t> current = now();
    std::vector<std::int64_t> sent(current.size());
    for (std::size_t i = 0; i < sent.size(); ++i) sent[i] = current[i] - before_[i];
    before_ = current;
    std::vector<std::int64_t> total(sent.size());
    check(MPI_Reduce(sent.data(), total.data(), static_cast<int>(sent.size()), MPI_INT64_T, MPI_SUM,
                     0, comm_));
    return total;
}

std::vector<std::int64_t> Counters::now() const
{
    std::vector<std::int64_t> values(devices_.size());
    if (!reads_) return values;
    const auto sent = sent_by_device();
    for (std::size_t i = 0; i < values.size(); ++i)
        if (const auto found = sent.find(devices_[i]); found != sent.end())
            values[i] = found->second;
    return values;
}

}  // namespace laneway::bench
