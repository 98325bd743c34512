// SPDX-License-Identifier: BSD-3-Clause
#include <bit>
#include <ranges>
#include <utility>
#include <vector>

#include "mpi/messages.hpp"
#include "mpi/pmpi.hpp"
#include "mpi/scratch.hpp"
#include "own/own.hpp"

namespace laneway::own {

using pmpi::copy;
using pmpi::reduce_local;

namespace {

constexpr int tag = 0;

void exchange(const Buffer& leaving, const Buffer& arriving, int peer, const Comm& comm)
{
    Messages messages(comm);
    messages.receive(arriving, peer, tag);
    messages.send(leaving, peer, tag);
    messages.wait();
}

/// A partial result, and room for another one that it is combined with: what comes from lower ranks from the
/// left, from higher ones from the right, so that the result is the same on all ranks to the last bit.
class Partial {
public:
    Partial(const Buffer& sum, const Buffer& room, MPI_Op op) : sum_(sum), room_(room), op_(op) {}

    const Buffer& sum() const { return sum_; }
    const Buffer& room() const { return room_; }

    /// With what has come to the room.
    void combine(bool from_the_left)
    {
        if (from_the_left) return reduce_local(room_, sum_, op_);
        reduce_local(sum_, room_, op_);
        std::swap(sum_, room_);
    }

private:
    Buffer sum_, room_;
    MPI_Op op_;
};

}  // namespace

/// Recursive doubling (Thakur, Rabenseifner, Gropp, "Optimization of collective communication operations in
/// MPICH", 2005, Section 4.5). Where ranks are no power of two, neighbours first become one.
void allreduce_doubling(const Buffer& input, const Buffer& result, MPI_Op op, const Comm& comm)
{
    const int rank = comm.rank(), size = comm.size();
    if (input.data != result.data) copy(input, result, comm);
    const Scratch scratch(input.count, input.type);
    Partial partial(result, scratch.buffer(), op);

    const int power = static_cast<int>(std::bit_floor(static_cast<unsigned>(size)));
    const int pairs = size - power;  // ranks 0 and 1, 2 and 3 ... that act as one, by the second
    const bool paired = rank < 2 * pairs, acts = !paired || rank % 2 == 1;
    const auto rank_of = [&](int actor) { return actor < pairs ? 2 * actor + 1 : actor + pairs; };

    Messages first(comm);
    if (!acts) first.send(partial.sum(), rank + 1, tag);
    if (acts && paired) first.receive(partial.room(), rank - 1, tag);
    first.wait();
    if (acts && paired) partial.combine(true);

    const int actor = paired ? rank / 2 : rank - pairs;
    for (int step = 1; acts && step < power; step *= 2) {
        const int peer = rank_of(actor ^ step);
        exchange(partial.sum(), partial.room(), peer, comm);
        partial.combine(peer < rank);
    }
    if (partial.sum().data != result.data) copy(partial.sum(), result, comm);

    Messages last(comm);
    if (acts && paired) last.send(result, rank - 1, tag);
    if (!acts) last.receive(result, rank + 1, tag);
    last.wait();
}

namespace {

/// Ranks `step` apart, of which this is number `place`.
struct Group {
    const Comm& comm;
    int size, place, step;

    int rank_of(int other) const { return comm.rank() + (other - place) * step; }

    /// With everyone else of it, the next one first.
    template <class Body>
    void for_others(const Body& body) const
    {
        for (int distance = 1; distance < size; ++distance)
            body((place - distance + size) % size, (place + distance) % size);
    }
};

/// Everyone's part of a block straight to the one that it is for.
void reduce_parts(const Buffer& input, const Buffer& result, const Partition& part, MPI_Op op,
                  const Group& group)
{
    const int place = group.place, last = group.size - 1;
    const std::int64_t length = part.size(place);
    const Buffer own = part.block(input, place);
    // The last one's part becomes the sum. In place, the result must not reach what is still input.
    const bool in_place = input.data == result.data || own.data == result.data;
    const Scratch parts(length * (last + in_place), input.type);
    const Buffer sum = in_place ? parts.buffer().slice(length * last, length) : result;
    const auto part_of = [&](int other) {
        if (other == last) return sum;
        return other == place ? own : parts.buffer().slice(other * length, length);
    };

    Messages messages(group.comm);
    group.for_others([&](int from, int to) {
        messages.receive(part_of(from), group.rank_of(from), tag);
        messages.send(part.block(input, to), group.rank_of(to), tag);
    });
    if (place == last) copy(own, sum, group.comm);
    messages.wait();
    for (int other = last - 1; other >= 0; --other) reduce_local(part_of(other), sum, op);
    if (in_place) copy(sum, result, group.comm);
}

/// Everyone's part to all others.
void exchange_parts(const Buffer& whole, const Partition& part, const Group& group)
{
    Messages messages(group.comm);
    group.for_others([&](int from, int to) {
        messages.receive(part.block(whole, from), group.rank_of(from), tag);
        messages.send(part.block(whole, group.place), group.rank_of(to), tag);
    });
    messages.wait();
}

/// Reduce-scatter and allgather, each in as many phases as the number of ranks has prime factors: in groups of
/// that size, neighbours first, so that groups have the operands of neighbours; each takes over a part of what
/// its group has in common. Where ranks are a power of two, this is Rabenseifner's algorithm (Thakur,
/// Rabenseifner, Gropp 2005, Section 4.5), its halving begun at the nearest.
void allreduce_by_parts(const Buffer& input, const Buffer& result, MPI_Op op, const Comm& comm)
{
    struct Phase {
        Group group;
        Buffer common;
        Partition part;
    };
    std::vector<Phase> phases;
    Buffer from = input, common = result;
    int step = 1;
    for (int left = comm.size(), factor = 2; left > 1; ++factor)
        for (; left % factor == 0; left /= factor, step *= factor) {
            const Group group{comm, factor, comm.rank() / step % factor, step};
            const Partition part(common.count, factor);
            const Buffer own = part.block(common, group.place);
            reduce_parts(from, own, part, op, group);
            phases.push_back({group, common, part});
            from = common = own;
        }
    for (const auto& [group, whole, part] : phases | std::views::reverse)
        exchange_parts(whole, part, group);
}

}  // namespace

void reduce_scatter(const Buffer& input, const Buffer& result, const Partition& part, MPI_Op op,
                    const Comm& comm)
{
    reduce_parts(input, result, part, op, {comm, comm.size(), comm.rank(), 1});
}

void reduce_scatter_block(const Buffer& input, const Buffer& result, MPI_Op op, const Comm& comm)
{
    reduce_scatter(input, result, Partition(input.count, comm.size()), op, comm);
}

void allreduce(const Buffer& input, const Buffer& result, MPI_Op op, const Comm& comm)
{
    if (comm.size() == 1) {
        if (input.data != result.data) copy(input, result, comm);
        return;
    }
    // A message of fewer elements than ranks has no part for each, and few bytes in any case.
    saves_bytes() && input.count >= comm.size() ? allreduce_by_parts(input, result, op, comm)
                                                : allreduce_doubling(input, result, op, comm);
}

namespace {

/// What lower ranks have to `before`, which becomes their reduction (but on rank 0); `input` goes on to
/// higher ranks. By a chain.
void prefix_chain(const Buffer& input, const Buffer& before, MPI_Op op, const Comm& comm)
{
    const int rank = comm.rank(), last = comm.size() - 1;
    Messages arriving(comm), leaving(comm);
    if (rank > 0) arriving.receive(before, rank - 1, tag);
    const Scratch scratch(rank > 0 && rank < last ? input.count : 0, input.type);
    if (rank > 0 && rank < last) copy(input, scratch.buffer(), comm);
    arriving.wait();
    if (rank > 0 && rank < last) reduce_local(before, scratch.buffer(), op);
    if (rank < last) leaving.send(rank > 0 ? scratch.buffer() : input, rank + 1, tag);
    leaving.wait();
}

/// The same by recursive doubling: of a group of ranks that grows, everyone knows the sum.
void prefix_doubling(const Buffer& input, const Buffer& before, MPI_Op op, const Comm& comm)
{
    const int rank = comm.rank(), size = comm.size();
    const Scratch one(input.count, input.type), other(input.count, input.type);
    copy(input, one.buffer(), comm);
    Partial group(one.buffer(), other.buffer(), op);
    bool has_before = false;
    for (int step = 1; step < size; step *= 2) {
        const int peer = rank ^ step;
        if (peer >= size) continue;
        exchange(group.sum(), group.room(), peer, comm);
        if (peer < rank) {
            if (has_before)
                reduce_local(group.room(), before, op);
            else
                copy(group.room(), before, comm);
            has_before = true;
        }
        group.combine(peer < rank);
    }
}

/// `before` must not be the input.
void prefix(const Buffer& input, const Buffer& before, MPI_Op op, const Comm& comm)
{
    saves_bytes() ? prefix_chain(input, before, op, comm)
                  : prefix_doubling(input, before, op, comm);
}

}  // namespace

void scan(const Buffer& input, const Buffer& result, MPI_Op op, const Comm& comm)
{
    const Scratch before(comm.rank() > 0 ? input.count : 0, input.type);
    prefix(input, before.buffer(), op, comm);
    if (input.data != result.data) copy(input, result, comm);
    if (comm.rank() > 0) reduce_local(before.buffer(), result, op);
}

void exscan(const Buffer& input, const Buffer& result, MPI_Op op, const Comm& comm)
{
    // On rank 0 nothing is written; in place, the input is still wanted when the result comes.
    const bool in_place = input.data == result.data;
    const Scratch saved(in_place ? input.count : 0, input.type);
    if (in_place) copy(input, saved.buffer(), comm);
    prefix(in_place ? saved.buffer() : input, result, op, comm);
}

}  // namespace laneway::own
