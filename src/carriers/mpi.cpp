// SPDX-License-Identifier: BSD-3-Clause
#include "carriers/mpi.hpp"

#include <algorithm>
#include <cstdlib>
#include <new>

#include "mpi/buffer.hpp"
#include "mpi/error.hpp"
#include "mpi/idle.hpp"
#include "mpi/node_channel.hpp"
#include "mpi/pmpi.hpp"
#include "mpi/progress.hpp"
#include "schedule/address.hpp"

namespace laneway {

void Execution::Free::operator()(void* memory) const { std::free(memory); }

Execution::Execution(const Program& program, const std::vector<void*>& buffers, MPI_Op op,
                     int first_tag)
    : program_(program),
      op_(op),
      first_tag_(first_tag),
      bases_(buffers),
      children_(program.strands.size())
{
    scratch_.reset(std::malloc(std::max<std::size_t>(program.scratch_bytes(), 1)));
    if (!scratch_) throw std::bad_alloc();
    std::int64_t offset = 0;
    for (const std::size_t bytes : program.scratch) {
        bases_.push_back(advanced(scratch_.get(), offset));
        offset += static_cast<std::int64_t>(bytes);
    }
    std::size_t messages = 0;
    for (std::size_t strand = 0; strand < children_.size(); ++strand) {
        children_[strand].first_request = messages;
        messages += program.strands[strand].messages;
    }
    requests_.assign(messages, MPI_REQUEST_NULL);
    near_.assign(messages, nullptr);
    awaited_near_.reserve(messages);
    if (!program.groups.empty()) channel_ = program.groups[0]->channel();
    const std::size_t at_once =
        messages + 2 * children_.size();  // a child copies one thing at a time
    awaited_.reserve(at_once);
    awaited_by_.reserve(at_once);
    indices_.resize(at_once);
    statuses_.resize(at_once);
}

Execution::~Execution()
{
    for (const Near& one : awaited_near_) channel_->give_up(one.message);
    for (NodeMessage* const message : near_)
        if (message) channel_->give_up(message);
}

void* Execution::resolve(void* address) const
{
    return advanced(bases_[symbolic::base_of(address)], symbolic::offset_of(address));
}

void Execution::start()
{
    for (Child& child : children_) {
        child.next = 0;
        child.message = 0;
        child.outstanding = 0;
        child.running = false;
    }
    error_ = MPI_SUCCESS;
    children_[0].running = true;
    first_live_ = forked_ = 1;
    ended_ = advance_all();
}

bool Execution::test()
{
    while (!ended_) {
        if (channel_) channel_->progress();
        if (!look()) return false;
        ended_ = advance_all();
    }
    return true;
}

/// Takes off what is over, without waiting; true: something was.
bool Execution::look()
{
    const bool any_near = settle_near();
    if (awaited_.empty()) return any_near;
    int completed = 0;
    const int code = PMPI_Testsome(static_cast<int>(awaited_.size()), awaited_.data(), &completed,
                                   indices_.data(), statuses_.data());
    settle(code, completed);
    return any_near || completed != 0;
}

bool Execution::settle_near()
{
    std::size_t kept = 0;
    for (const Near& one : awaited_near_) {
        if (!one.message->done.load(std::memory_order_acquire)) {
            awaited_near_[kept++] = one;
            continue;
        }
        note(channel_->finish(one.message));
        --children_[one.strand].outstanding;
    }
    const bool any = kept < awaited_near_.size();
    awaited_near_.resize(kept);
    return any;
}

void Execution::wait()
{
    Idle idle(*program_.groups[0]);
    while (!ended_) {
        if (channel_ && (!awaited_near_.empty() || channel_->is_busy())) {
            const bool moved = channel_->progress();
            if (look())
                ended_ = advance_all();
            else if (!moved)
                idle.relax(!awaited_.empty());
            if (moved) idle.moved();
            continue;
        }
        int completed = 0;
        const int code = PMPI_Waitsome(static_cast<int>(awaited_.size()), awaited_.data(),
                                       &completed, indices_.data(), statuses_.data());
        settle(code, completed);
        ended_ = advance_all();
    }
    check(error_);
}

/// The messages' statuses have the errors.
static bool is_in_status(int code)
{
    if (code == MPI_SUCCESS) [[likely]]
        return false;
    int its_class = code;
    PMPI_Error_class(code, &its_class);
    return its_class == MPI_ERR_IN_STATUS;
}

/// Takes completed messages off those that are awaited; `code` is that of their completion.
void Execution::settle(int code, int completed)
{
    const bool failed = is_in_status(code);
    if (!failed) check(code);  // of no message: nothing can go on
    for (int index = 0; index < completed; ++index) {
        if (failed) note(statuses_[static_cast<std::size_t>(index)].MPI_ERROR);
        --children_[awaited_by_[static_cast<std::size_t>(
                        indices_[static_cast<std::size_t>(index)])]]
              .outstanding;
    }
    std::size_t kept = 0;
    for (std::size_t index = 0; index < awaited_.size(); ++index) {
        if (awaited_[index] == MPI_REQUEST_NULL) continue;
        awaited_[kept] = awaited_[index];
        awaited_by_[kept++] = awaited_by_[index];
    }
    awaited_.resize(kept);
    awaited_by_.resize(kept);
}

/// All children as far as they get, the earliest first; true: the program has ended.
bool Execution::advance_all()
{
    // A child that ends lets its parent go on, and that one may fork another.
    for (bool moved = true; moved;) {
        moved = false;
        const auto go = [&](std::size_t strand) {
            if (children_[strand].running && children_[strand].outstanding == 0)
                moved = advance(strand) || moved;
        };
        go(0);
        while (first_live_ < forked_ && !children_[first_live_].running) ++first_live_;
        for (std::size_t strand = first_live_; strand < forked_; ++strand) go(strand);
    }
    return !children_[0].running;
}

/// Until it must wait; true: something was done.
bool Execution::advance(std::size_t strand)
{
    Child& child = children_[strand];
    const Strand& text = program_.strands[strand];
    const std::size_t began = child.next;
    for (; child.next < text.operations.size(); ++child.next) {
        const Operation& operation = text.operations[child.next];
        const auto next_message = [&] { return child.first_request + child.message++; };
        const auto tag = [&] { return first_tag_ + program_.tag_of(text, operation); };
        switch (operation.kind) {
        case Operation::Kind::send: {
            const std::size_t message = next_message();
            note(program_.groups[operation.group]->send(
                resolve(operation.from), static_cast<int>(operation.count),
                program_.types[operation.type], operation.peer, tag(), &requests_[message],
                &near_[message]));
            break;
        }
        case Operation::Kind::receive: {
            const std::size_t message = next_message();
            note(program_.groups[operation.group]->receive(
                resolve(operation.to), static_cast<int>(operation.count),
                program_.types[operation.type], operation.peer, tag(), &requests_[message],
                &near_[message]));
            break;
        }
        case Operation::Kind::wait:
            if (begin_wait(strand, operation)) break;
            ++child.next;
            return true;
        case Operation::Kind::copy:
            begin_copy(strand, operation);
            if (child.outstanding == 0) break;
            ++child.next;
            return true;
        case Operation::Kind::reduce: {
            const progress::Inside users(false);
            note(pmpi::reduced(resolve(operation.from), resolve(operation.to),
                               static_cast<int>(operation.count), program_.types[operation.type],
                               op_));
            break;
        }
        case Operation::Kind::fork:
            children_[static_cast<std::size_t>(operation.peer)].running = true;
            forked_ = static_cast<std::size_t>(operation.peer) + 1;
            break;
        case Operation::Kind::join:
            if (children_[static_cast<std::size_t>(operation.peer)].running)
                return child.next != began;
            break;
        }
    }
    child.running = false;
    return true;
}

/// True: there is nothing to wait for.
bool Execution::begin_wait(std::size_t strand, const Operation& operation)
{
    Child& child = children_[strand];
    for (const std::uint32_t message : program_.strands[strand].awaited_by(operation)) {
        const std::size_t index = child.first_request + message;
        if (NodeMessage* const near = std::exchange(near_[index], nullptr)) {
            awaited_near_.push_back({near, strand});
            ++child.outstanding;
        }
        if (requests_[index] == MPI_REQUEST_NULL) continue;
        await(strand, std::exchange(requests_[index], MPI_REQUEST_NULL));
    }
    return child.outstanding == 0;
}

/// As a message to oneself: nothing here may wait, as a program may go on inside the library's progress.
void Execution::begin_copy(std::size_t strand, const Operation& operation)
{
    const Comm& own = *program_.groups[0];
    const int self = own.world_rank(own.rank());
    const int tag = first_tag_ + program_.copy_tag();
    MPI_Request requests[] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    note(PMPI_Irecv(resolve(operation.to), static_cast<int>(operation.to_count),
                    program_.types[operation.to_type], self, own.tag_of(tag), own.carrier(),
                    &requests[0]));
    note(PMPI_Isend(resolve(operation.from), static_cast<int>(operation.count),
                    program_.types[operation.type], self, own.tag_of(tag), own.carrier(),
                    &requests[1]));
    for (const MPI_Request request : requests)
        if (request != MPI_REQUEST_NULL) await(strand, request);
}

void Execution::await(std::size_t strand, MPI_Request request)
{
    awaited_.push_back(request);
    awaited_by_.push_back(strand);
    ++children_[strand].outstanding;
}

}  // namespace laneway
