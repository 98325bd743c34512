// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "core/settings.hpp"
#include "mpi/comm.hpp"
#include "mpi/pmpi.hpp"

namespace laneway {

class Decomposition;

/// A private communicator together with what the selector needs to serve collectives on it, which
/// algorithms then call as their components. Unlike a communicator of the user's it is decomposed,
/// if a setting asks for that, when it is made: never in the middle of an algorithm.
class Communicator {
public:
    /// Collective over `comm`.
    Communicator(Comm comm, Scope scope, std::shared_ptr<const Settings> settings);
    Communicator(const Communicator&) = delete;
    Communicator& operator=(const Communicator&) = delete;
    ~Communicator();

    int rank() const { return comm_.rank(); }
    int size() const { return comm_.size(); }
    operator const Comm&() const { return comm_; }

    /// Serves a component: by the algorithm that the rule in use names for it, else by that which
    /// the settings choose for this scope and shape; natively where that is not eligible.
    template <class Call>
    void perform(const Call& call) const;

    /// What the rule that chose the algorithm says of its components; null: nothing.
    void use(const Components* components) { components_ = components; }

private:
    friend void scatter(const Buffer& whole, const Buffer& mine, int root, const Communicator& on);

    Comm comm_;
    Scope scope_;
    std::shared_ptr<const Settings> settings_;
    const Components* components_ = nullptr;
    Selector selector_;
    std::unique_ptr<Decomposition> decomposition_;  ///< null: all components are native
};

/// @name Components by the selector
/// Those that no algorithm is registered for are the library's own (mpi/pmpi.hpp). So are those whose
/// buffers differ in type between ranks or from each other, strided columns against plain blocks: an
/// algorithm may rely on one type and count, and what calls it so calls `pmpi::` by name.
/// @{
void bcast(const Buffer& data, int root, const Communicator& on);
void scatter(const Buffer& whole, const Buffer& mine, int root, const Communicator& on);
void gather(const Buffer& mine, const Buffer& whole, int root, const Communicator& on);
void allgather(const Buffer& mine, const Buffer& whole, const Communicator& on);
/// In place: the caller's block stands in `whole` already.
void allgather(const Buffer& whole, const Communicator& on);
void alltoall(const Buffer& input, const Buffer& result, const Communicator& on);
void reduce(const Buffer& input, const Buffer& result, MPI_Op op, int root, const Communicator& on);
void allreduce(const Buffer& input, const Buffer& result, MPI_Op op, const Communicator& on);
void reduce_scatter_block(const Buffer& input, const Buffer& result, MPI_Op op,
                          const Communicator& on);
void scan(const Buffer& input, const Buffer& result, MPI_Op op, const Communicator& on);
void exscan(const Buffer& input, const Buffer& result, MPI_Op op, const Communicator& on);
void barrier(const Communicator& on);

using pmpi::allgatherv;
using pmpi::alltoallv;
using pmpi::copy;
using pmpi::gatherv;
using pmpi::reduce_local;
using pmpi::reduce_scatter;
using pmpi::scatterv;
/// @}

}  // namespace laneway
