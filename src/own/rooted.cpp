// SPDX-License-Identifier: BSD-3-Clause
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

/// Chains from both ends to the root: what comes from below is combined from the left, what comes from above
/// from the right.
void reduce_chain(const Buffer& input, const Buffer& result, MPI_Op op, int root, const Comm& comm)
{
    const int rank = comm.rank(), last = comm.size() - 1;
    const Scratch above(rank >= root && rank < last ? input.count : 0, input.type);
    const Scratch below(rank <= root && rank > 0 ? input.count : 0, input.type);
    Messages arriving(comm);
    if (rank <= root && rank > 0) arriving.receive(below.buffer(), rank - 1, tag);
    if (rank >= root && rank < last) arriving.receive(above.buffer(), rank + 1, tag);
    arriving.wait();

    const bool has_above = above.buffer().count > 0, has_below = below.buffer().count > 0;
    if (has_above) reduce_local(input, above.buffer(), op);
    const Buffer so_far = has_above ? above.buffer() : input;
    if (rank > root) return send(so_far, rank - 1, comm);
    if (!has_below) return rank == root ? copy(so_far, result, comm) : send(so_far, rank + 1, comm);

    const Scratch own(rank < root ? input.count : 0, input.type);
    const Buffer sum = rank < root ? own.buffer() : result;
    if (so_far.data != sum.data) copy(so_far, sum, comm);
    reduce_local(below.buffer(), sum, op);
    if (rank < root) send(sum, rank + 1, comm);
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
    saves_bytes() ? reduce_chain(input, result, op, root, comm)
                  : reduce_binomial(input, result, op, root, comm);
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
