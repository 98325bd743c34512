// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "collectives/facts_of.hpp"
#include "decomposition/decomposition.hpp"
#include "messages/pmpi.hpp"
#include "providers/plain.hpp"

/// The collectives that algorithms call on their parts: `serve(Bcast{data, root}, on.node)`.
namespace laneway {

/// Serves a component by the algorithm that is chosen for it, if any is; else plainly.
///
/// An algorithm may rely on one type and count on all ranks. So none is chosen for calls whose buffers differ in type,
/// between ranks or from each other, such as strided columns against plain blocks: serve_plainly().
void serve(const AnyCall& call, const Part& on);

/// Serves a component whatever is chosen: by our algorithms or the library (providers/plain.hpp).
void serve_plainly(const AnyCall& call, const Part& on);

/// Serves a collective of all processes by our algorithms, for algorithms that are made of other collectives.
void serve_by_ours(const AnyCall& call, const Decomposition& on);

/// An allgather in place: the caller's block stands in `whole` already.
inline Allgather in_place(const Buffer& whole, const Part& on)
{
    const std::int64_t length = whole.count / on.size();
    return {whole.slice(on.rank() * length, length), whole};
}

using pmpi::copy;
using pmpi::reduce_local;

}  // namespace laneway
