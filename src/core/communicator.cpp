// SPDX-License-Identifier: BSD-3-Clause
#include "core/communicator.hpp"

#include "core/decomposition.hpp"
#include "mpi/error.hpp"

namespace laneway {

Communicator::Communicator(Comm comm, Scope scope, std::shared_ptr<const Settings> settings)
    : comm_(std::move(comm)),
      scope_(scope),
      settings_(std::move(settings))
{
    const bool component = scope == Scope::node || scope == Scope::lane;
    if (!component || !settings_->chooses(scope) || comm_.size() == 1) return;
    try {
        decomposition_ = std::make_unique<Decomposition>(comm_, Scope::component, settings_);
    } catch (const Error&) {
        decomposition_.reset();  // no communicator left, as all ranks know: components stay native
    }
}

Communicator::~Communicator() = default;

template <class Call>
void Communicator::perform(const Call& call) const
{
    const Algorithm<Call>* algorithm = decomposition_ ? settings_->choice<Call>(scope_) : nullptr;
    if (algorithm)
        algorithm = Registry<Call>::eligible(algorithm, facts_of(call, comm_), *decomposition_);
    if (algorithm)
        algorithm->run(call, *decomposition_);
    else
        native(call, comm_);
}

void bcast(const Buffer& data, int root, const Communicator& on) { on.perform(Bcast{data, root}); }

void scatter(const Buffer& whole, const Buffer& mine, int root, const Communicator& on)
{
    on.perform(Scatter{whole, mine, root});
}

void gather(const Buffer& mine, const Buffer& whole, int root, const Communicator& on)
{
    on.perform(Gather{mine, whole, root});
}

void allgather(const Buffer& mine, const Buffer& whole, const Communicator& on)
{
    on.perform(Allgather{mine, whole});
}

void allgather(const Buffer& whole, const Communicator& on)
{
    const std::int64_t length = whole.count / on.size();
    allgather(whole.slice(on.rank() * length, length), whole, on);
}

void alltoall(const Buffer& input, const Buffer& result, const Communicator& on)
{
    on.perform(Alltoall{input, result});
}

void reduce(const Buffer& input, const Buffer& result, MPI_Op op, int root, const Communicator& on)
{
    on.perform(Reduce{input, result, op, root});
}

void allreduce(const Buffer& input, const Buffer& result, MPI_Op op, const Communicator& on)
{
    on.perform(Allreduce{input, result, op});
}

void reduce_scatter_block(const Buffer& input, const Buffer& result, MPI_Op op,
                          const Communicator& on)
{
    on.perform(ReduceScatterBlock{input, result, op});
}

void scan(const Buffer& input, const Buffer& result, MPI_Op op, const Communicator& on)
{
    on.perform(Scan{input, result, op});
}

void exscan(const Buffer& input, const Buffer& result, MPI_Op op, const Communicator& on)
{
    on.perform(Exscan{input, result, op});
}

void barrier(const Communicator& on) { on.perform(Barrier{}); }

}  // namespace laneway
