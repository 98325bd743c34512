// SPDX-License-Identifier: BSD-3-Clause
#include "bench/job/counters.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <map>
#include <sstream>
#include <utility>

#include "bench/job/nodes.hpp"
#include "bench/job/ranks.hpp"
#include "library/error.hpp"

namespace laneway::bench {
namespace {

struct Bytes {
    std::int64_t sent = 0;
    std::int64_t received = 0;
};

/// The bytes so far, by each device that this process sees; see proc_pid_net(5).
std::map<std::string, Bytes> bytes_by_device()
{
    constexpr std::size_t of_receiving = 8;  // Fields about receiving, the first being the bytes.
    std::map<std::string, Bytes> found;
    std::ifstream file("/proc/self/net/dev");
    for (std::string line; std::getline(file, line);) {
        const auto colon = line.find(':');
        if (colon == std::string::npos) continue;  // A heading.
        std::istringstream text(line.substr(colon + 1));
        std::array<std::int64_t, of_receiving + 1> fields{};
        for (std::int64_t& field : fields) text >> field;
        const std::string name = line.substr(line.find_first_not_of(' '));
        found[name.substr(0, name.find(':'))] = {fields.back(), fields.front()};
    }
    found.erase("lo");
    return found;
}

/// The devices' names on rank 0 of `comm`, returned on all ranks.
std::vector<std::string> devices_of_the_first(MPI_Comm comm, int rank)
{
    std::string text;
    if (rank == 0)
        for (const auto& [name, bytes] : bytes_by_device()) text += name + '\n';
    int length = static_cast<int>(text.size());
    check(MPI_Bcast(&length, 1, MPI_INT, 0, comm));
    text.resize(static_cast<std::size_t>(length));
    check(MPI_Bcast(text.data(), length, MPI_CHAR, 0, comm));
    std::vector<std::string> names;
    std::istringstream lines(text);
    for (std::string name; std::getline(lines, name);) names.push_back(name);
    return names;
}

}  // namespace

Counters::Counters(MPI_Comm comm)
{
    if (virtual_nodes(size_of(comm))) return;

    const int rank = rank_in(comm);
    const std::vector<int> firsts = physical_nodes(comm);
    const int own = firsts[static_cast<std::size_t>(rank)];
    for (int each = 0; std::cmp_less(each, firsts.size()); ++each) {
        if (firsts[static_cast<std::size_t>(each)] != each) continue;
        if (each == own) node_ = nodes_;
        ++nodes_;
    }
    reads_ = own == rank;
    if (nodes_ > 1) devices_ = devices_of_the_first(comm, rank);
}

Counters::Reading Counters::read() const
{
    Reading values(2 * devices_.size());
    if (!reads_ || !readable()) return values;
    const auto known = bytes_by_device();
    for (std::size_t i = 0; i < devices_.size(); ++i) {
        const auto found = known.find(devices_[i]);
        if (found == known.end()) continue;
        values[i] = found->second.sent;
        values[devices_.size() + i] = found->second.received;
    }
    return values;
}

Traffic Counters::gather(const Reading& grown, MPI_Comm comm) const
{
    const std::size_t width = grown.size();
    std::vector<std::int64_t> all(static_cast<std::size_t>(nodes_) * width);
    std::ranges::copy(grown, all.begin() + static_cast<std::ptrdiff_t>(node_ * width));
    const int rank = rank_in(comm);
    check(MPI_Reduce(rank == 0 ? MPI_IN_PLACE : all.data(), rank == 0 ? all.data() : nullptr,
                     static_cast<int>(all.size()), MPI_INT64_T, MPI_SUM, 0, comm));
    Traffic traffic;
    for (auto at = all.begin(); at != all.end(); at += static_cast<std::ptrdiff_t>(width)) {
        const auto middle = at + static_cast<std::ptrdiff_t>(devices_.size());
        traffic.sent.emplace_back(at, middle);
        traffic.received.emplace_back(middle, at + static_cast<std::ptrdiff_t>(width));
    }
    return traffic;
}

void add_growth(Counters::Reading& sum, const Counters::Reading& before,
                const Counters::Reading& after)
{
    sum.resize(after.size());
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += after[i] - before[i];
}

}  // namespace laneway::bench
