// SPDX-License-Identifier: BSD-3-Clause
#include "core/communicator.hpp"

#include "core/decomposition.hpp"
#include "mpi/error.hpp"
#include "mpi/scratch.hpp"

namespace laneway {

Communicator::Communicator(Comm comm, Scope scope, std::shared_ptr<const Settings> settings)
    : comm_(std::move(comm)),
      scope_(scope),
      settings_(std::move(settings))
{
    const bool component = scope == Scope::node || scope == Scope::lane;
    if (!component || !settings_->rules().choose(scope) || comm_.size() == 1) return;
    try {
        Nodes nodes = find_nodes(comm_.handle(), comm_.size(), *settings_);
        selector_ = Selector(settings_->rules(), scope, shape_of(nodes, *settings_));
        decomposition_ =
            std::make_unique<Decomposition>(comm_, std::move(nodes), Scope::component, settings_);
    } catch (const Error&) {
        decomposition_.reset();  // no communicator left, as all ranks know: components stay native
    }
}

Communicator::~Communicator() = default;

template <class Call>
void Communicator::perform(const Call& call) const
{
    if (!decomposition_) return native(call, comm_);
    const Facts facts = facts_of(call, comm_);
    const Choice<Call>* choice = components_ ? components_->find<Call>(scope_) : nullptr;
    if (!choice)
        if (const Rule<Call>* rule = selector_.rule<Call>(facts.bytes)) choice = &rule->choice;
    if (!choice || !choice->algorithm) return native(call, comm_);

    const auto* algorithm = Registry<Call>::eligible(choice->algorithm, facts, *decomposition_);
    if (!algorithm) return native(call, comm_);
    algorithm->run(call, *decomposition_,
                   algorithm == choice->algorithm ? choice->tunables : algorithm->presets);
}

void bcast(const Buffer& data, int root, const Communicator& on) { on.perform(Bcast{data, root}); }

void scatter(const Buffer& whole, const Buffer& mine, int root, const Communicator& on)
{
    // A root's block in place is input, and stays: what algorithms bring to its place is not read.
    const bool stays = on.decomposition_ && on.rank() == root &&
                       mine.data == whole.slice(root * mine.count, mine.count).data;
    const Scratch unread(stays ? mine.count : 0, mine.type);
    on.perform(Scatter{whole, stays ? unread.buffer() : mine, root});
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
