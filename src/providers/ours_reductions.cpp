// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstdint>

#include "data/recording.hpp"
#include "data/scratch.hpp"
#include "patterns/phases.hpp"
#include "providers/plain.hpp"
#include "providers/providers.hpp"
#include "walks/allreduce.hpp"
#include "walks/parts.hpp"
#include "walks/prefix.hpp"

namespace laneway::ours {

namespace {

/// The radix by which a long message that must stay whole is sent: it takes more rounds than others.
constexpr int fewest_bytes = 2;

/// Whether a message is rather sent as a whole than in parts, which takes more rounds and fewer bytes. In segments
/// all processes of a node send, several on a lane, so bytes count for more. That does not hold among so few that a
/// whole message takes one round.
bool is_short(const Buffer& message, const Comm& comm)
{
    constexpr std::int64_t short_on_shared_lanes = 2048;
    const Recording* const recording = Recording::current();
    const bool shared = recording && recording->is_in_child() && comm.size() > radix;
    return message.count < comm.size() ||
           (shared ? message.count * size_of(message.type) <= short_on_shared_lanes
                   : message.count * size_of(message.type) <= plain::short_bytes);
}

/// Whether some process has so much of the message that it would take in a multiple of it, from everyone at once.
bool is_lopsided(const Partition& part)
{
    constexpr int fair_ones = 3;
    for (int rank = 0; rank < part.parts(); ++rank)
        if (part.size(rank) * part.parts() > fair_ones * part.count()) return true;
    return false;
}

/// Reduces to each process that has a part, one after the other.
void reduce_in_turn(const Buffer& input, const Buffer& result, const Partition& part, MPI_Op op,
                    const Comm& comm)
{
    const int self = comm.rank();
    // In place, the result must not reach what is still input, as a part that is not the first may.
    const bool apart = input.data == result.data && part.first(self) > 0;
    const Scratch sum(apart ? part.size(self) : 0, input.type);
    const Buffer own = apart ? sum.buffer() : result;
    for (int rank = 0; rank < comm.size(); ++rank)
        if (part.size(rank) > 0)
            serve(Reduce{part.block(input, rank), rank == self ? own : part.block(input, rank), op,
                         rank},
                  comm);
    if (apart) pmpi::copy(own, result, comm);
}

}  // namespace

void serve(const ReduceScatter& call, const Comm& comm)
{
    const auto& [input, result, part, op] = call;
    if (is_lopsided(part)) return reduce_in_turn(input, result, part, op, comm);
    reduce_in_group(input, result, part, op, everyone(comm), comm);
}

void serve(const ReduceScatterBlock& call, const Comm& comm)
{
    const Partition part(call.input.count, comm.size());
    serve(ReduceScatter{call.input, call.result, part, call.op}, comm);
}

void serve(const Allreduce& call, const Comm& comm)
{
    const auto& [input, result, op] = call;
    const Order order(0, comm.size());
    const int size = comm.size();
    const auto whole = [&](int by) {
        allreduce_multiplying(call.input, call.result, call.op, by, order, comm);
    };
    if (input.count < size || (!saves_bytes() && is_short(input, comm))) return whole(radix);
    if (comm.keeps_whole(op)) return whole(fewest_bytes);
    // The call has as many phases as the number of ranks has prime factors: for a power of two, this is
    // Rabenseifner's algorithm. Alone, up to `radix` processes exchange their parts at once: as many bytes, in fewer
    // phases. The many processes of a large prime don't.
    const Factors factors = saves_bytes() ? prime_factors(size) : few_factors(size, radix);
    const auto is_large = [](int factor) { return factor > 2 * radix; };
    if (!saves_bytes() && std::ranges::any_of(factors, is_large)) return whole(radix);
    const Phases phases = near_first(comm.rank(), factors);
    allreduce_in_phases(input, result, op, phases, Folded({size, size}, order, comm), comm);
}

namespace {

void prefix(const Prefix& of, const Comm& comm)
{
    if (comm.size() == 1) {  // without the temporaries of exchanges
        if (of.inclusive && of.input.data != of.result.data) pmpi::copy(of.input, of.result, comm);
        return;
    }
    if (saves_bytes()) return prefix_chain(of, whole_message, comm);
    // Everyone sends a message for each part: a part must be worth that.
    constexpr std::int64_t short_part = 64;
    const std::int64_t part = of.input.count / comm.size() * size_of(of.input.type);
    if (comm.size() == 2 || part < short_part || is_short(of.input, comm))
        return prefix_multiplying(of, radix, comm);
    if (comm.keeps_whole(of.op)) return prefix_multiplying(of, fewest_bytes, comm);
    prefix_by_parts(of, comm);
}

}  // namespace

void serve(const Scan& call, const Comm& comm)
{
    prefix({call.input, call.result, call.op, true}, comm);
}

void serve(const Exscan& call, const Comm& comm)
{
    prefix({call.input, call.result, call.op, false}, comm);
}

}  // namespace laneway::ours
