// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bench/operations/buffers.hpp"
#include "bench/operations/element_type.hpp"
#include "bench/operations/reduction_op.hpp"
#include "blocks/crossing.hpp"
#include "blocks/layouts.hpp"

namespace laneway::bench {

/// The edges of the calling rank to others, or from others, in a collective of neighbours; and the elements of their
/// blocks.
struct Edges {
    std::vector<int> peers = {};
    std::vector<int> counts = {};
    std::vector<int> displacements = {};
    std::vector<MPI_Aint> places = {};  ///< displacements in bytes, and types, as with peers
    std::vector<MPI_Datatype> types = {};
};

/// The call that is asked of an operation, the same on all ranks but for `rank`.
struct Problem {
    MPI_Comm comm;
    int rank;
    int size;
    int count;  ///< The count in the MPI call; in a vector collective the mean of the blocks.
    const ElementType& type;
    const ReductionOp& op;
    bool in_place = false;
    BlockLayout layout = {};
    bool nonblocking = false;
    /// The caller's work between the beginning of a nonblocking call and waiting for it; empty: none.
    std::function<void()> meanwhile = {};
    /// Has the threads of a process share local work, each as number `thread` of so many.
    std::function<void(const std::function<void(int thread, int threads)>& work)> share = {};

    /// The elements of every rank's block in a vector collective, and where the blocks begin. Between pairs, these
    /// blocks are received, and others sent.
    std::vector<int> counts = {};
    std::vector<int> displacements = {};
    std::vector<int> sent_counts = {};
    std::vector<int> sent_displacements = {};

    /// The types, where there is one for each peer, and where blocks begin in bytes.
    std::vector<MPI_Datatype> peer_types = {};
    std::vector<int> places = {};
    std::vector<int> sent_places = {};

    /// The edges of the graph that neighbours call on: pairs that have something for each other.
    Edges sources = {};
    Edges destinations = {};
};

/// The value that an element of the output must have after the call; nothing where MPI leaves that open.
using Expected = std::function<std::optional<Value>(std::size_t index)>;

/// Something that can be timed. Adding one is adding a file with one object of this kind and a
/// Registration.
struct Operation {
    const char* collective;
    bool has_forms = false;     ///< There is a nonblocking form: it is registered, too.
    bool reduces = false;       ///< Takes an operator.
    bool rooted = false;        ///< Has a root.
    bool has_in_place = false;  ///< MPI_IN_PLACE is allowed.
    bool has_data = true;       ///< A count makes a difference.
    int least_ranks = 1;        ///< With fewer ranks it makes no sense.
    bool in_pairs = false;      ///< Wants an even number of ranks.
    bool has_helpers = false;   ///< A rank's threads help with its one call.
    bool nonblocking = false;   ///< This is the nonblocking form.
    double share = 1;           ///< The share of a call's time that is reported: half a round trip.

    BlockFlow flow = BlockFlow::none;
    bool has_peer_types = false;  ///< Each peer's elements have a type of their own.

    bool of_neighbors = false;  ///< It is called on a graph.

    bool is_vector() const { return flow != BlockFlow::none; }

    /// Elements of the caller's memory.
    std::size_t (*input)(const Problem&);
    std::size_t (*output)(const Problem&);

    /// Puts the caller's contribution where `call` reads it; `output` holds no trace of a result.
    void (*fill)(const Problem&, int root, const Buffers&);

    /// Calls the operation by the algorithm of that name; returns the MPI error code.
    int (*call)(const Problem&, const char* algorithm, int root, const Buffers&);

    Expected (*expected)(const Problem&, int root);
};

/// All operations, by name.
const std::vector<Operation>& operations();

/// The operation of that name. Throws Misunderstood where there is none.
const Operation& operation(const std::string& collective);

struct Registration {
    explicit Registration(const Operation& operation);
};

/// A call in the form that is asked for: the blocking one, or the nonblocking one up to its end.
template <class Blocking, class Nonblocking, class... Argument>
int in_form(const Problem& on, Blocking blocking, Nonblocking nonblocking, Argument... argument)
{
    if (!on.nonblocking) return blocking(argument...);
    MPI_Request request = MPI_REQUEST_NULL;
    if (const int code = nonblocking(argument..., &request); code != MPI_SUCCESS) return code;
    if (on.meanwhile) on.meanwhile();
    return MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/// The contribution of `rank` at `index`. It depends on both, and is small enough for every reduction to be exact in
/// any order.
Value contribution(const Problem&, int rank, std::size_t index);

/// Writes the caller's contribution from `index` 0 on to `elements` elements at `data`.
void write_contribution(const Problem&, std::byte* data, std::size_t elements);

/// Puts `elements` of the caller's contribution where a call reads them.
template <std::size_t (*elements)(const Problem&)>
void contribute(const Problem& on, int /*root*/, const Buffers& memory)
{
    write_contribution(on, on.in_place ? memory.output : memory.input, elements(on));
}

/// The first argument of a call that may be in place on all ranks.
inline const void* input_of(const Problem& on, const Buffers& memory)
{
    return on.in_place ? MPI_IN_PLACE : memory.input;
}

/// The neighbours in a ring of all ranks.
inline int next(const Problem& on) { return (on.rank + 1) % on.size; }
inline int previous(const Problem& on) { return (on.rank + on.size - 1) % on.size; }

/// Expected: the reduction over the contributions of the ranks [0, ranks), from index `first` on.
Expected reduction(const Problem&, int ranks, std::size_t first = 0);

/// Expected: nothing in particular.
inline Expected anything()
{
    return [](std::size_t) { return std::nullopt; };
}

/// Numbers of elements, for all operations on blocks.
inline std::size_t no_elements(const Problem&) { return 0; }
inline std::size_t one_block(const Problem& on) { return static_cast<std::size_t>(on.count); }
inline std::size_t block_per_rank(const Problem& on)
{
    return one_block(on) * static_cast<std::size_t>(on.size);
}

/// The memory of the block of `rank` among equal ones, or among those of a vector collective.
inline std::byte* block_of(const Problem& on, std::byte* data, int rank)
{
    return data + one_block(on) * static_cast<std::size_t>(rank) * on.type.extent;
}
inline std::byte* vector_block_of(const Problem& on, std::byte* data, int rank)
{
    return data + static_cast<std::size_t>(on.displacements[static_cast<std::size_t>(rank)]) *
                      on.type.extent;
}

/// Elements of the block of `rank` by the problem's layout, and of the block that `from` sends to `to`.
std::size_t layout_block(const Problem&, int rank);
std::size_t pair_block(const Problem&, int from, int to);

/// Elements of all blocks together, and of all blocks that are sent.
std::size_t vector_elements(const Problem&);
std::size_t sent_elements(const Problem&);

/// The block of a vector collective that the element `index` belongs to.
int owner(const Problem&, std::size_t index);

/// Expected: every rank's contribution, one behind the other, in equal blocks or in those of a
/// vector collective.
Expected gathered(const Problem&);
Expected vector_gathered(const Problem&);

/// Expected: the blocks that every rank has sent to the caller, one behind the other.
Expected exchanged(const Problem&);

/// Whether the caller is the root of a rooted collective that takes MPI_IN_PLACE there.
inline bool root_in_place(const Problem& on, int root) { return on.in_place && on.rank == root; }

/// Expected: the contribution of `rank`.
Expected sent_by(const Problem&, int rank);

/// The partner of the calling rank where ranks play in pairs: each of the lower half with one of the upper.
int pair_partner(const Problem&);

}  // namespace laneway::bench
