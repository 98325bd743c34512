// SPDX-License-Identifier: BSD-3-Clause
#include "carriers/execution.hpp"

#include <utility>

#include "data/buffer.hpp"
#include "data/datatype.hpp"
#include "data/packing.hpp"
#include "library/error.hpp"
#include "library/progress.hpp"
#include "messages/idle.hpp"
#include "messages/pmpi.hpp"
#include "node/channel.hpp"
#include "schedule/address.hpp"

namespace laneway {

static std::size_t messages_of(const Program& program)
{
    std::size_t messages = 0;
    for (const Strand& strand : program.strands) messages += strand.messages;
    return messages;
}

Execution::Execution(const Program& program, const std::vector<void*>& buffers,
                     std::vector<const Wire*> wires, MPI_Op op, int first_tag)
    : program_(program),
      wires_(std::move(wires)),
      op_(op),
      first_tag_(first_tag),
      bases_(buffers),
      scratch_(static_cast<std::int64_t>(program.scratch_bytes()), MPI_BYTE),
      children_(program.strands.size()),
      requests_(messages_of(program), MPI_REQUEST_NULL),
      lengths_(requests_.size(), any_length),
      near_(requests_.size(), nullptr),
      channel_(program.groups.empty() ? nullptr : program.groups[0]->channel()),
      // A child copies one thing at a time.
      awaited_(requests_.size() + 2 * children_.size(),
               program.groups.empty() ? MPI_COMM_NULL : program.groups[0]->travels_on(),
               near_.size(), channel_, [this](std::size_t strand, int code) { over(strand, code); })
{
    std::int64_t offset = 0;
    for (const std::size_t bytes : program.scratch) {
        bases_.push_back(advanced(scratch_.buffer().data, offset));
        offset += static_cast<std::int64_t>(bytes);
    }
    std::size_t messages = 0;
    for (std::size_t strand = 0; strand < children_.size(); ++strand) {
        children_[strand].first_request = messages;
        messages += program.strands[strand].messages;
    }
}

Execution::~Execution()
{
    for (NodeMessage* const message : near_)
        if (message) channel_->give_up(message);
    awaited_.give_up();
    for (MPI_Request& request : requests_) laneway::give_up(request);
    // Messages under way may still reach temporary memory.
    if (!ended_) [[maybe_unused]]
        const auto* const kept = new Scratch(std::move(scratch_));
}

/// Then others wait for messages that this process no longer sends, and it for messages that never come: they have
/// called with another length.
bool Execution::lengths_differ() const
{
    if (error_ == MPI_SUCCESS) [[likely]]
        return false;
    int its_class = error_;
    PMPI_Error_class(error_, &its_class);
    return its_class == MPI_ERR_TRUNCATE;
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

bool Execution::begin()
{
    start();
    return go_on(&Awaited::look_at_what_is_there);
}

bool Execution::test() { return go_on(&Awaited::look_at_news); }

bool Execution::go_on(bool (Awaited::*look)())
{
    while (!ended_ && !lengths_differ()) {
        if (channel_) channel_->progress();
        if (!(awaited_.*look)()) return false;
        ended_ = advance_all();
    }
    return true;
}

void Execution::wait()
{
    Idle idle(*program_.groups[0]);
    while (!ended_) {
        if (lengths_differ()) throw Error(error_);
        if (channel_ && (awaited_.any_near() || channel_->is_busy())) {
            const bool moved = channel_->progress();
            if (awaited_.look())
                ended_ = advance_all();
            else if (!moved)
                idle.relax(awaited_.any_request());
            if (moved) idle.moved();
            continue;
        }
        awaited_.wait();
        ended_ = advance_all();
    }
    check(error_);
}

/// Advances all children as far as they get, the earliest first; true: the program has ended.
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

/// Advances a child until it must wait; true: something was done.
bool Execution::advance(std::size_t strand)
{
    Child& child = children_[strand];
    const Strand& text = program_.strands[strand];
    const std::size_t began = child.next;
    for (; child.next < text.operations.size(); ++child.next) {
        const Operation& operation = text.operations[child.next];
        switch (operation.kind) {
        case Operation::Kind::send:
        case Operation::Kind::receive:
            post(strand, operation);
            break;
        case Operation::Kind::wait:
            if (begin_wait(strand, operation)) break;
            ++child.next;
            return true;
        case Operation::Kind::copy:
        case Operation::Kind::pack:
        case Operation::Kind::unpack:
            if (begin_copy(strand, operation)) break;
            ++child.next;
            return true;
        case Operation::Kind::reduce: {
            const progress::Inside not_ours(false);
            note(pmpi::reduced(resolve(operation.from), resolve(operation.to),
                               static_cast<int>(operation.count), program_.types[operation.type],
                               op_));
            break;
        }
        case Operation::Kind::fork:
            children_[static_cast<std::size_t>(operation.peer)].running = true;
            forked_ = static_cast<std::size_t>(operation.peer) + 1;
            // The child goes on before its parent, which may pack for the next one.
            advance(forked_ - 1);
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

void Execution::post(std::size_t strand, const Operation& operation)
{
    Child& child = children_[strand];
    const std::size_t message = child.first_request + child.message++;
    const auto by = [&](const auto& way, void* address) {
        note((program_.groups[operation.group]->*way)(
            resolve(address), static_cast<int>(operation.count), program_.types[operation.type],
            operation.peer, first_tag_ + program_.tag_of(program_.strands[strand], operation),
            &requests_[message], &near_[message]));
    };
    if (operation.kind == Operation::Kind::send) return by(&Comm::send, operation.from);
    by(&Comm::receive, operation.to);
    if (requests_[message] != MPI_REQUEST_NULL)
        lengths_[message] = operation.count * size_of(program_.types[operation.type]);
}

/// True: there is nothing to wait for.
bool Execution::begin_wait(std::size_t strand, const Operation& operation)
{
    const Child& child = children_[strand];
    for (const std::uint32_t message : program_.strands[strand].awaited_by(operation)) {
        const std::size_t index = child.first_request + message;
        if (NodeMessage* const near = std::exchange(near_[index], nullptr)) await(strand, near);
        if (requests_[index] == MPI_REQUEST_NULL) continue;
        await(strand, std::exchange(requests_[index], MPI_REQUEST_NULL), lengths_[index]);
    }
    return child.outstanding == 0;
}

/// The source and the target of a copy, be it the packing of data.
std::pair<Buffer, Buffer> Execution::sides(const Operation& copy) const
{
    if (copy.kind == Operation::Kind::copy)
        return {Buffer::of(resolve(copy.from), copy.count, program_.types[copy.type]),
                Buffer::of(resolve(copy.to), copy.to_count, program_.types[copy.to_type])};
    const Wire& wire = *wires_[static_cast<std::size_t>(copy.peer)];
    std::pair sides(wire.elements(copy.to_count, copy.count),
                    wire.units(copy.to_count, copy.count));
    if (copy.kind == Operation::Kind::unpack) std::swap(sides.first, sides.second);
    return sides;
}

/// True: the copy is done. Else it goes as a message to oneself: nothing here may wait, as a program may go on inside
/// the library's progress.
bool Execution::begin_copy(std::size_t strand, const Operation& operation)
{
    const Comm& own = *program_.groups[0];
    const auto [from, to] = sides(operation);
    if (const auto code = copied(from, to, own.travels_on())) {
        note(*code);
        return true;
    }
    const int self = own.world_rank(own.rank());
    const int tag = own.tag_of(first_tag_ + program_.copy_tag());
    MPI_Request requests[] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    note(PMPI_Irecv(to.data, static_cast<int>(to.count), to.type, self, tag, own.travels_on(),
                    &requests[0]));
    note(PMPI_Isend(from.data, static_cast<int>(from.count), from.type, self, tag, own.travels_on(),
                    &requests[1]));
    for (const MPI_Request request : requests)
        if (request != MPI_REQUEST_NULL) await(strand, request);
    return children_[strand].outstanding == 0;
}

}  // namespace laneway
