// SPDX-License-Identifier: BSD-3-Clause
#include "carriers/in_process.hpp"

#include <algorithm>
#include <cstring>

#include "carriers/told.hpp"
#include "library/error.hpp"
#include "schedule/address.hpp"

namespace laneway {
namespace {

/// The bytes of temporary memory before it is written: no reduction could begin with them unnoticed.
constexpr int not_set = 0xa5;

constexpr std::size_t apart = 64;  ///< so that no temporary memory touches another rank's

template <class Values>
std::uint32_t count_of(const Values& values)
{
    return static_cast<std::uint32_t>(values.size());
}

}  // namespace

void InProcess::start(MPI_Op op, std::uint64_t seed)
{
    op_ = op;
    random_ = Random(seed);
    ranks_.clear();
    children_.clear();
    bases_.clear();
    types_.clear();
    ready_.clear();
    deliverable_.clear();
    footprints_.forget_derived();
    temporary_bytes_ = 0;
    all_messages_ = 0;
    messages_ = 0;
}

void InProcess::add(const Program& program, std::span<void* const> buffers)
{
    if (program.misuse)
        throw Fault("rank " + std::to_string(ranks_.size()) + ": " + program.misuse);
    const Rank rank{&program, count_of(bases_),
                    static_cast<std::uint32_t>(buffers.size() + program.scratch.size()),
                    count_of(types_), count_of(children_)};
    for (void* const buffer : buffers)
        bases_.push_back({reinterpret_cast<std::intptr_t>(buffer), -1});
    for (const std::size_t bytes : program.scratch) {
        // The place of this memory is known when all of it is.
        bases_.push_back(
            {static_cast<std::intptr_t>(temporary_bytes_), static_cast<std::int64_t>(bytes)});
        if (bytes > 0) temporary_bytes_ += (bytes + 2 * apart - 1) / apart * apart;
    }
    for (const MPI_Datatype type : program.types) types_.push_back(&footprints_.of(type));
    for (std::uint32_t strand = 0; strand < program.strands.size(); ++strand) {
        children_.push_back(
            {.rank = count_of(ranks_), .strand = strand, .first_message = all_messages_});
        all_messages_ += program.strands[strand].messages;
    }
    ranks_.push_back(rank);
}

void InProcess::run()
{
    temporary_.resize(std::max(temporary_.size(), temporary_bytes_));
    std::fill_n(temporary_.begin(), temporary_bytes_, std::byte{not_set});
    for (Base& base : bases_)
        if (base.bytes >= 0) base.start += reinterpret_cast<std::intptr_t>(temporary_.data());
    if (claims_.size() < ranks_.size()) claims_.resize(ranks_.size());
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) claims_[rank].clear();
    if (messages_by_number_.size() < all_messages_) messages_by_number_.resize(all_messages_);
    channels_.clear(all_messages_);
    for (const Rank& rank : ranks_) {
        children_[rank.first_child].running = true;
        queue(rank.first_child);
    }
    const auto take = [](auto& from, std::size_t index) {
        std::swap(from[index], from.back());
        const auto taken = from.back();
        from.pop_back();
        return taken;
    };
    while (!ready_.empty() || !deliverable_.empty()) {
        const std::size_t pick = random_.below(count_of(ready_) + count_of(deliverable_));
        if (pick < ready_.size()) {
            const std::uint32_t child = take(ready_, pick);
            children_[child].queued = false;
            advance(child);
        } else {
            const auto [send, receive] = take(deliverable_, pick - ready_.size());
            deliver(send, receive);
        }
    }
    for (const Child& child : children_)
        if (child.running) throw Fault("a deadlock; these are waited for:" + waits());
}

void InProcess::queue(std::uint32_t child)
{
    if (std::exchange(children_[child].queued, true)) return;
    ready_.push_back(child);
}

/// Advances one child until it must wait.
void InProcess::advance(std::uint32_t number)
{
    Child& child = children_[number];
    const Rank& rank = ranks_[child.rank];
    const auto& operations = rank.program->strands[child.strand].operations;
    for (; child.next < operations.size(); ++child.next) {
        const Operation& operation = operations[child.next];
        const std::uint32_t other = rank.first_child + static_cast<std::uint32_t>(operation.peer);
        switch (operation.kind) {
        case Operation::Kind::send:
        case Operation::Kind::receive:
            post(number, child, operation);
            break;
        case Operation::Kind::wait:
            if (!wait(child, operation)) return;
            break;
        case Operation::Kind::copy:
            copy(child, operation);
            break;
        case Operation::Kind::reduce:
            reduce(child, operation);
            break;
        case Operation::Kind::fork:
            children_[other].running = true;
            queue(other);
            break;
        case Operation::Kind::join:
            if (children_[other].running) return;
            break;
        case Operation::Kind::pack:
        case Operation::Kind::unpack:
            break;  // over MPI alone
        }
    }
    end(number);
}

void InProcess::end(std::uint32_t number)
{
    Child& child = children_[number];
    child.running = false;
    for (std::uint32_t at = child.first_message; at < child.first_message + child.posted; ++at)
        if (const Message& message = messages_by_number_[at]; !message.over)
            throw Fault(place(child, *message.operation) + ": nobody waits for it");
    if (child.strand != 0) queue(ranks_[child.rank].first_child);  // which may join it
}

Use InProcess::use_of(const Child& child, const Operation& operation, const void* address,
                      std::int64_t count, std::uint16_t type, bool writes) const
{
    const Rank& rank = ranks_[child.rank];
    const std::size_t number = symbolic::base_of(address);
    if (number >= rank.bases) throw Fault("an address that is in no buffer of the call");
    const Base& base = bases_[rank.first_base + number];
    const Use use{base.start + symbolic::offset_of(address), count, types_[rank.first_type + type],
                  writes};
    if (base.bytes < 0) return use;
    const auto [first, last] = use.hull();
    if (first < last && (first < base.start || last > base.start + base.bytes))
        throw Fault(place(child, operation) + ": beyond the end of temporary memory");
    return use;
}

void InProcess::check_free(const Child& child, const Use& use, const Use::Hull& hull,
                           const Operation& operation) const
{
    const auto of = [&](std::uint32_t id) { return messages_by_number_[id].use(); };
    const std::uint32_t other = claims_[child.rank].conflict(use, hull, of);
    if (other == Claims::none) return;
    throw Fault(place(child, operation) + (use.writes ? " writes" : " reads") +
                " memory that a message under way " + (of(other).writes ? "writes to" : "reads"));
}

void InProcess::post(std::uint32_t number, Child& child, const Operation& operation)
{
    const bool sends = operation.kind == Operation::Kind::send;
    const Use use = use_of(child, operation, sends ? operation.from : operation.to, operation.count,
                           operation.type, !sends);
    const Use::Hull hull = use.hull();
    check_free(child, use, hull, operation);
    const std::uint32_t message = child.first_message + child.posted++;
    messages_by_number_[message] = {&operation, use.type, use.address, number, false, false, false};
    claims_[child.rank].add(use, hull, message);

    const Program& program = *ranks_[child.rank].program;
    const int context = program.contexts[operation.group];
    const int tag = program.tag_of(program.strands[child.strand], operation);
    const int rank = static_cast<int>(child.rank), peer = operation.peer;
    const auto other = sends ? channels_.match(rank, peer, context, tag, sends, message)
                             : channels_.match(peer, rank, context, tag, sends, message);
    if (other) deliverable_.emplace_back(sends ? message : *other, sends ? *other : message);
}

void InProcess::deliver(std::uint32_t send, std::uint32_t receive)
{
    const Message &from = messages_by_number_[send], &to = messages_by_number_[receive];
    const Use source = from.use(), target = to.use();
    if (source.bytes() != target.bytes())
        throw Fault(place(children_[to.child], *to.operation) + ": " +
                    std::to_string(source.bytes()) + " bytes come where " +
                    std::to_string(target.bytes()) + " are expected");
    transfer(reinterpret_cast<void*>(source.address), source.count, *source.type,
             reinterpret_cast<void*>(target.address), target.count, *target.type);
    ++messages_;
    arrive(send);
    arrive(receive);
}

void InProcess::arrive(std::uint32_t number)
{
    Message& message = messages_by_number_[number];
    message.arrived = true;
    if (message.awaited && --children_[message.child].outstanding == 0) queue(message.child);
}

/// True: there is nothing to wait for any more.
bool InProcess::wait(Child& child, const Operation& operation)
{
    const Strand& strand = ranks_[child.rank].program->strands[child.strand];
    child.outstanding = 0;
    for (const std::uint32_t at : strand.awaited_by(operation)) {
        Message& message = messages_by_number_[child.first_message + at];
        message.awaited = !message.arrived;
        child.outstanding += message.awaited;
    }
    if (child.outstanding > 0) return false;
    for (const std::uint32_t at : strand.awaited_by(operation)) {
        Message& message = messages_by_number_[child.first_message + at];
        if (!std::exchange(message.over, true))
            claims_[child.rank].remove(message.use(), child.first_message + at);
    }
    return true;
}

void InProcess::copy(const Child& child, const Operation& operation)
{
    const Use from =
        use_of(child, operation, operation.from, operation.count, operation.type, false);
    const Use to =
        use_of(child, operation, operation.to, operation.to_count, operation.to_type, true);
    check_free(child, from, from.hull(), operation);
    check_free(child, to, to.hull(), operation);
    if (from.conflicts(to)) throw Fault(place(child, operation) + ": to memory that it is from");
    if (from.bytes() != to.bytes())
        throw Fault(place(child, operation) + ": " + std::to_string(from.bytes()) +
                    " bytes to a place of " + std::to_string(to.bytes()));
    transfer(reinterpret_cast<void*>(from.address), from.count, *from.type,
             reinterpret_cast<void*>(to.address), to.count, *to.type);
}

void InProcess::reduce(const Child& child, const Operation& operation)
{
    const Use left =
        use_of(child, operation, operation.from, operation.count, operation.type, false);
    const Use result =
        use_of(child, operation, operation.to, operation.count, operation.type, true);
    check_free(child, left, left.hull(), operation);
    check_free(child, result, result.hull(), operation);
    if (left.conflicts(result)) throw Fault(place(child, operation) + ": its two sides overlap");
    check(PMPI_Reduce_local(
        reinterpret_cast<void*>(left.address), reinterpret_cast<void*>(result.address),
        static_cast<int>(operation.count), ranks_[child.rank].program->types[operation.type], op_));
}

std::string InProcess::place(const Child& child, const Operation& operation) const
{
    return told(*ranks_[child.rank].program, static_cast<int>(child.rank), child.strand, operation);
}

/// The first few messages that ranks wait for.
std::string InProcess::waits() const
{
    constexpr int told = 16;
    std::string text;
    int lines = 0;
    for (const Child& child : children_) {
        if (!child.running || child.outstanding == 0) continue;
        const Strand& strand = ranks_[child.rank].program->strands[child.strand];
        for (const std::uint32_t number : strand.awaited_by(strand.operations[child.next])) {
            const Message& message = messages_by_number_[child.first_message + number];
            if (message.arrived) continue;
            if (++lines <= told) text += "\n  " + place(child, *message.operation);
        }
    }
    if (lines > told) text += "\n  and " + std::to_string(lines - told) + " more";
    return text;
}

}  // namespace laneway
