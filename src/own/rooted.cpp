// SPDX-License-Identifier: BSD-3-Clause
#include <cstdint>
#include <vector>

#include "mpi/messages.hpp"
#include "mpi/pmpi.hpp"
#include "mpi/recording.hpp"
#include "mpi/scratch.hpp"
#include "own/own.hpp"

namespace laneway::own {

using pmpi::copy;
using pmpi::reduce_local;

namespace {

constexpr int tag = 0;

void send(const Buffer& data, int to, const Comm& comm)
{
    Messages message(comm);
    message.send(data, to, tag);
    message.wait();
}

void receive(const Buffer& data, int from, const Comm& comm)
{
    Messages message(comm);
    message.receive(data, from, tag);
    message.wait();
}

void bcast_chain(const Buffer& data, int root, const Comm& comm)
{
    const int rank = comm.rank(), size = comm.size(), after = (rank + 1) % size;
    if (rank != root) receive(data, (rank - 1 + size) % size, comm);
    if (after != root) send(data, after, comm);
}

/// Ranks are counted from the root's on; in each round twice as many have the message.
void bcast_binomial(const Buffer& data, int root, const Comm& comm)
{
    const int size = comm.size(), position = (comm.rank() - root + size) % size;
    const auto rank_of = [&](int at) { return (at + root) % size; };

    int low = 1;  // the lowest bit of the position: where its message comes from
    while (low < size && !(position & low)) low *= 2;
    if (position > 0) receive(data, rank_of(position - low), comm);
    Messages leaving(comm);
    for (int step = low / 2; step > 0; step /= 2)
        if (position + step < size) leaving.send(data, rank_of(position + step), tag);
    leaving.wait();
}

/// From the farthest rank to the root, which is the first or the last one.
void reduce_chain(const Buffer& input, const Buffer& result, MPI_Op op, int root, const Comm& comm)
{
    const int rank = comm.rank(), last = comm.size() - 1;
    const bool is_root = rank == root, in_place = input.data == result.data;
    if (root == 0) {
        if (rank == last) return send(input, rank - 1, comm);
        const Scratch scratch(is_root && !in_place ? 0 : input.count, input.type);
        const Buffer sum = is_root && !in_place ? result : scratch.buffer();
        receive(sum, rank + 1, comm);
        reduce_local(input, sum, op);
        if (!is_root) return send(sum, rank - 1, comm);
        if (in_place) copy(sum, result, comm);
        return;
    }
    if (rank == 0) return send(input, rank + 1, comm);
    const Scratch below(input.count, input.type);
    const Scratch scratch(is_root ? 0 : input.count, input.type);
    const Buffer sum = is_root ? result : scratch.buffer();
    Messages arriving(comm);
    arriving.receive(below.buffer(), rank - 1, tag);
    if (sum.data != input.data) copy(input, sum, comm);
    arriving.wait();
    reduce_local(below.buffer(), sum, op);
    if (!is_root) send(sum, rank + 1, comm);
}

/// For a root between others, to which chains would bring a message from both sides: the others reduce a part
/// each, and give it to the root.
void reduce_parts(const Buffer& input, const Buffer& result, MPI_Op op, int root, const Comm& comm)
{
    const Partition others(input.count, comm.size() - 1);
    std::vector<std::int64_t> sizes;
    for (int rank = 0; rank < comm.size(); ++rank)
        sizes.push_back(rank == root ? 0 : others.size(rank < root ? rank : rank - 1));
    const Partition part(sizes);
    const Scratch mine(part.size(comm.rank()), input.type);
    reduce_scatter(input, mine.buffer(), part, op, comm);
    gatherv(mine.buffer(), result, part, root, comm);
}

/// In rank order to rank 0, which gives the root the result.
void reduce_binomial(const Buffer& input, const Buffer& result, MPI_Op op, int root,
                     const Comm& comm)
{
    const int rank = comm.rank(), size = comm.size();
    const bool combines = rank % 2 == 0 && rank + 1 < size;
    const Scratch one(combines ? input.count : 0, input.type);
    const Scratch other(combines && rank + 2 < size ? input.count : 0, input.type);
    Buffer sum = input, next = one.buffer();
    for (int step = 1; step < size; step *= 2) {
        if (rank & step) {
            send(sum, rank - step, comm);
            break;
        }
        if (rank + step >= size) continue;
        receive(next, rank + step, comm);
        reduce_local(sum, next, op);
        sum = next;
        next = next.data == one.buffer().data ? other.buffer() : one.buffer();
    }
    if (rank == 0 && root == 0 && sum.data != result.data) copy(sum, result, comm);
    if (rank == 0 && root != 0) send(sum, root, comm);
    if (rank == root && root != 0) receive(result, 0, comm);
}

}  // namespace

bool saves_bytes()
{
    const Recording* const recording = Recording::current();
    return recording && recording->saves_bytes();
}

void bcast(const Buffer& data, int root, const Comm& comm)
{
    saves_bytes() ? bcast_chain(data, root, comm) : bcast_binomial(data, root, comm);
}

void reduce(const Buffer& input, const Buffer& result, MPI_Op op, int root, const Comm& comm)
{
    if (comm.size() == 1) {
        if (input.data != result.data) copy(input, result, comm);
        return;
    }
    if (!saves_bytes()) return reduce_binomial(input, result, op, root, comm);
    if (root == 0 || root == comm.size() - 1) return reduce_chain(input, result, op, root, comm);
    reduce_parts(input, result, op, root, comm);
}

void scatterv(const Buffer& whole, const Buffer& mine, const Partition& part, int root,
              const Comm& comm)
{
    if (comm.rank() != root) return receive(mine, root, comm);
    Messages leaving(comm);
    for (int step = 1; step < comm.size(); ++step) {
        const int to = (root + step) % comm.size();
        leaving.send(part.block(whole, to), to, tag);
    }
    const Buffer own = part.block(whole, root);
    if (own.data != mine.data) copy(own, mine, comm);
    leaving.wait();
}

void scatter(const Buffer& whole, const Buffer& mine, int root, const Comm& comm)
{
    if (comm.rank() != root) return receive(mine, root, comm);  // without a row of blocks
    scatterv(whole, mine, Partition(whole.count, comm.size()), root, comm);
}

void gatherv(const Buffer& mine, const Buffer& whole, const Partition& part, int root,
             const Comm& comm)
{
    if (comm.rank() != root) return send(mine, root, comm);
    Messages arriving(comm);
    for (int step = 1; step < comm.size(); ++step) {
        const int from = (root + step) % comm.size();
        arriving.receive(part.block(whole, from), from, tag);
    }
    const Buffer own = part.block(whole, root);
    if (own.data != mine.data) copy(mine, own, comm);
    arriving.wait();
}

void gather(const Buffer& mine, const Buffer& whole, int root, const Comm& comm)
{
    if (comm.rank() != root) return send(mine, root, comm);
    gatherv(mine, whole, Partition(whole.count, comm.size()), root, comm);
}

}  // namespace laneway::own
