// SPDX-License-Identifier: BSD-3-Clause
#include "walks/parts.hpp"

#include <numeric>

#include "data/scratch.hpp"
#include "messages/exchange.hpp"
#include "messages/pmpi.hpp"

namespace laneway {

using pmpi::copy;
using pmpi::reduce_local;

namespace {

/// The data that a group has in common: consecutive parts, as many to each of its members.
struct Common {
    int first, parts;

    Buffer of(const Buffer& whole, const Partition& part) const
    {
        return whole.slice(part.first(first), part.first(first + parts) - part.first(first));
    }
    Partition shares(const Group& group, const Partition& part) const
    {
        Few<std::int64_t, 8> sizes;
        const int share = parts / group.size();
        for (int start = first; start < first + parts; start += share)
            sizes.push_back(part.first(start + share) - part.first(start));
        return Partition(sizes);
    }
    Common of_member(const Group& group) const
    {
        const int share = parts / group.size();
        return {first + group.place * share, share};
    }
};

/// The data that the calling process's groups have in common, phase by phase, and its own data in the end.
std::vector<Common> commons(const Partition& part, const Phases& phases)
{
    std::vector<Common> all{{0, part.parts()}};
    for (const Group& group : phases) all.push_back(all.back().of_member(group));
    return all;
}

}  // namespace

Group everyone(const Comm& comm)
{
    Group group{Few<int, 4>(static_cast<std::size_t>(comm.size())), comm.rank()};
    std::iota(group.members.begin(), group.members.end(), 0);
    return group;
}

void reduce_in_group(const Buffer& input, const Buffer& result, const Partition& part, MPI_Op op,
                     const Group& group, const Comm& comm)
{
    const int place = group.place, last = group.size() - 1;
    const std::int64_t length = part.size(place);
    const Buffer own = part.block(input, place);
    const bool stays = own.data == result.data, in_place = stays || input.data == result.data;
    // The last member's part becomes the sum. In place, the result must not reach data that are still input.
    const bool apart = in_place && !stays && place == last;
    const Scratch parts(length * (last + apart), input.type);
    const auto slot = [&](int at) { return parts.buffer().slice(at * length, length); };
    const Buffer sum = !in_place ? result : place < last || apart ? slot(place) : own;
    const auto part_of = [&](int other) {
        if (other == last) return sum;
        return other == place ? own : slot(other);
    };

    Exchange messages(comm);
    group.for_others([&](int from, int to) {
        messages.receive(part_of(from), group.member(from));
        messages.send(part.block(input, to), group.member(to));
    });
    if (place == last && own.data != sum.data) copy(own, sum, comm);
    messages.wait();
    for (int other = last - 1; other >= 0; --other) reduce_local(part_of(other), sum, op);
    if (sum.data != result.data) copy(sum, result, comm);
}

void exchange_in_group(const Buffer& whole, const Partition& part, const Group& group,
                       const Comm& comm)
{
    Exchange messages(comm);
    group.for_others([&](int from, int to) {
        messages.receive(part.block(whole, from), group.member(from));
        messages.send(part.block(whole, group.place), group.member(to));
    });
    messages.wait();
}

void reduce_scatter_in_phases(const Buffer& input, const Buffer& whole, const Partition& part,
                              MPI_Op op, const Phases& phases, const Comm& comm)
{
    Common common{0, part.parts()};
    Buffer from = input;
    for (const Group& group : phases) {
        const Common own = common.of_member(group);
        const Buffer result = own.of(whole, part);
        reduce_in_group(from, result, common.shares(group, part), op, group, comm);
        common = own;
        from = result;
    }
    if (from.data != whole.data && phases.empty()) copy(from, whole, comm);
}

void allgather_in_phases(const Buffer& whole, const Partition& part, const Phases& phases,
                         const Comm& comm)
{
    const std::vector<Common> all = commons(part, phases);
    for (std::size_t phase = phases.size(); phase-- > 0;) {
        const Group& group = phases[phase];
        exchange_in_group(all[phase].of(whole, part), all[phase].shares(group, part), group, comm);
    }
}

void gather_in_phases(const Buffer& whole, const Partition& part, const Phases& phases,
                      const Phases& root, const Comm& comm)
{
    const std::vector<Common> all = commons(part, phases);
    for (std::size_t phase = phases.size(); phase-- > 0;) {
        const Group& group = phases[phase];
        const Buffer common = all[phase].of(whole, part);
        const Partition shares = all[phase].shares(group, part);
        const int place = root[phase].place;
        Exchange messages(comm);
        if (group.place != place) {
            messages.send(shares.block(common, group.place), group.member(place));
            return messages.wait();
        }
        group.for_others([&](int from, int) {
            messages.receive(shares.block(common, from), group.member(from));
        });
        messages.wait();
    }
}

Partition evenly(std::int64_t count, int parts)
{
    std::vector<std::int64_t> sizes;
    for (std::int64_t part = 0; part < parts; ++part)
        sizes.push_back(count * (part + 1) / parts - count * part / parts);
    return Partition(sizes);
}

}  // namespace laneway
