// SPDX-License-Identifier: BSD-3-Clause
#include "carriers/in_process.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "mpi/error.hpp"
#include "schedule/address.hpp"

namespace laneway {
std::size_t InProcess::KeyHash::operator()(const Key& key) const
{
    std::uint64_t hash = 0;
    for (const int part : {key.from, key.to, key.context, key.tag}) {
        hash = (hash ^ static_cast<std::uint32_t>(part)) * 0x9e3779b97f4a7c15U;
        hash ^= hash >> 32U;
    }
    return hash;
}

void InProcess::add(const Program& program, const std::vector<void*>& buffers)
{
    if (program.misuse)
        throw Fault("rank " + std::to_string(ranks_.size()) + ": " + program.misuse);
    Rank& rank = ranks_.emplace_back();
    rank.program = &program;
    rank.bases = buffers;
    for (const std::size_t bytes : program.scratch)
        rank.bases.push_back(rank.scratch.emplace_back(bytes).data());
    rank.children.resize(program.strands.size());
    for (std::size_t strand = 0; strand < program.strands.size(); ++strand)
        rank.children[strand].messages.reserve(program.strands[strand].messages);
}

void InProcess::run()
{
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
        ranks_[rank].children[0].running = true;
        queue(static_cast<int>(rank), 0);
    }
    while (!ready_.empty() || !deliverable_.empty()) {
        const std::size_t pick = random_() % (ready_.size() + deliverable_.size());
        const auto take = [](auto& from, std::size_t index) {
            std::swap(from[index], from.back());
            const auto taken = from.back();
            from.pop_back();
            return taken;
        };
        if (pick < ready_.size()) {
            const auto [rank, strand] = take(ready_, pick);
            ranks_[static_cast<std::size_t>(rank)].children[strand].queued = false;
            advance(rank, strand);
        } else {
            const auto [send, receive] = take(deliverable_, pick - ready_.size());
            deliver(send, receive);
        }
    }
    check_end();
}

void InProcess::queue(int rank, std::uint32_t strand)
{
    Child& child = ranks_[static_cast<std::size_t>(rank)].children[strand];
    if (std::exchange(child.queued, true)) return;
    ready_.emplace_back(rank, strand);
}

/// One child until it must wait.
void InProcess::advance(int rank, std::uint32_t strand)
{
    Rank& self = ranks_[static_cast<std::size_t>(rank)];
    Child& child = self.children[strand];
    const auto& operations = self.program->strands[strand].operations;
    for (; child.next < operations.size(); ++child.next) {
        const Operation& operation = operations[child.next];
        switch (operation.kind) {
        case Operation::Kind::send:
        case Operation::Kind::receive:
            post(rank, strand, operation);
            break;
        case Operation::Kind::wait:
            if (!begin_wait(rank, strand, operation)) return;
            finish_wait(rank, strand, operation);
            break;
        case Operation::Kind::copy:
            copy(rank, operation);
            break;
        case Operation::Kind::reduce:
            reduce(rank, operation);
            break;
        case Operation::Kind::fork:
            self.children[static_cast<std::size_t>(operation.peer)].running = true;
            queue(rank, static_cast<std::uint32_t>(operation.peer));
            break;
        case Operation::Kind::join:
            if (self.children[static_cast<std::size_t>(operation.peer)].running) return;
            break;
        }
    }
    child.running = false;
    for (const Message& message : child.messages)
        if (!message.over)
            throw Fault(place(rank, strand, *message.operation) + ": nobody waits for it");
    if (strand != 0) queue(rank, 0);  // which may join it
}

Use InProcess::use_of(Rank& rank, void* address, std::int64_t count, std::uint16_t type,
                      bool writes)
{
    const std::size_t base = symbolic::base_of(address);
    if (base >= rank.bases.size()) throw Fault("an address that is in no buffer of the call");
    const auto at =
        reinterpret_cast<std::intptr_t>(rank.bases[base]) + symbolic::offset_of(address);
    return {at, count, &footprints_.of(rank.program->types[type]), writes};
}

void InProcess::check_free(int rank, std::uint32_t strand, const Use& use,
                           const Operation& operation) const
{
    const Rank& self = ranks_[static_cast<std::size_t>(rank)];
    if (const Use* const other = self.claims.conflict(use))
        throw Fault(place(rank, strand, operation) + (use.writes ? " writes" : " reads") +
                    " memory that a message under way " + (other->writes ? "writes to" : "reads"));
}

void InProcess::post(int rank, std::uint32_t strand, const Operation& operation)
{
    Rank& self = ranks_[static_cast<std::size_t>(rank)];
    Child& child = self.children[strand];
    const bool sends = operation.kind == Operation::Kind::send;
    const Use use = use_of(self, sends ? operation.from : operation.to, operation.count,
                           operation.type, !sends);
    check_free(rank, strand, use, operation);
    const Ref ref{rank, strand, static_cast<std::uint32_t>(child.messages.size())};
    child.messages.push_back({.use = use, .claim = self.claims.add(use), .operation = &operation});

    const int context = self.program->contexts[operation.group];
    const int tag = self.program->tag_of(self.program->strands[strand], operation);
    const Key key =
        sends ? Key{rank, operation.peer, context, tag} : Key{operation.peer, rank, context, tag};
    if (const auto other = match(key, ref, sends))
        deliverable_.emplace_back(sends ? ref : *other, sends ? *other : ref);
}

/// The oldest other side of a message; where there is none yet, `ref` waits for it.
std::optional<InProcess::Ref> InProcess::match(const Key& key, const Ref& ref, bool sends)
{
    const auto [place, is_new] = unmatched_.try_emplace(key);
    Unmatched& unmatched = place->second;
    if (!is_new && unmatched.sends != sends) {
        const std::uint32_t oldest = unmatched.first;
        free_.push_back(oldest);
        if (oldest == unmatched.last)
            unmatched_.erase(place);
        else
            unmatched.first = waiting_[oldest].next;
        return waiting_[oldest].ref;
    }
    if (free_.empty()) {
        free_.push_back(static_cast<std::uint32_t>(waiting_.size()));
        waiting_.emplace_back();
    }
    const std::uint32_t mine = free_.back();
    free_.pop_back();
    waiting_[mine] = {ref, 0};
    if (is_new)
        unmatched = {sends, mine, mine};
    else
        unmatched.last = waiting_[unmatched.last].next = mine;
    return std::nullopt;
}

InProcess::Message& InProcess::message(const Ref& ref)
{
    return ranks_[static_cast<std::size_t>(ref.rank)].children[ref.strand].messages[ref.message];
}

void InProcess::deliver(const Ref& send, const Ref& receive)
{
    const Message &from = message(send), &to = message(receive);
    const std::int64_t sent = from.use.count * from.use.type->size;
    const std::int64_t expected = to.use.count * to.use.type->size;
    if (sent != expected)
        throw Fault(place(receive.rank, receive.strand, *to.operation) + ": " +
                    std::to_string(sent) + " bytes come where " + std::to_string(expected) +
                    " are expected");
    const auto type_of = [&](const Ref& ref, const Message& one) {
        return ranks_[static_cast<std::size_t>(ref.rank)].program->types[one.operation->type];
    };
    transfer(from.use, type_of(send, from), to.use, type_of(receive, to));
    ++messages_;
    arrive(send);
    arrive(receive);
}

void InProcess::arrive(const Ref& ref)
{
    Child& child = ranks_[static_cast<std::size_t>(ref.rank)].children[ref.strand];
    message(ref).arrived = true;
    if (child.outstanding > 0) queue(ref.rank, ref.strand);
}

/// True: there is nothing to wait for.
bool InProcess::begin_wait(int rank, std::uint32_t strand, const Operation& operation)
{
    Rank& self = ranks_[static_cast<std::size_t>(rank)];
    Child& child = self.children[strand];
    child.outstanding = 0;
    for (const std::uint32_t message : self.program->strands[strand].awaited_by(operation))
        if (!child.messages[message].arrived) ++child.outstanding;
    return child.outstanding == 0;
}

void InProcess::finish_wait(int rank, std::uint32_t strand, const Operation& operation)
{
    Rank& self = ranks_[static_cast<std::size_t>(rank)];
    Child& child = self.children[strand];
    for (const std::uint32_t number : self.program->strands[strand].awaited_by(operation)) {
        Message& message = child.messages[number];
        if (!std::exchange(message.over, true)) self.claims.remove(message.claim);
    }
}

void InProcess::copy(int rank, const Operation& operation)
{
    Rank& self = ranks_[static_cast<std::size_t>(rank)];
    const Use from = use_of(self, operation.from, operation.count, operation.type, false);
    const Use to = use_of(self, operation.to, operation.to_count, operation.to_type, true);
    check_free(rank, 0, from, operation);
    check_free(rank, 0, to, operation);
    if (from.conflicts(to)) throw Fault(place(rank, 0, operation) + ": to memory that it is from");
    transfer(from, self.program->types[operation.type], to, self.program->types[operation.to_type]);
}

void InProcess::reduce(int rank, const Operation& operation)
{
    Rank& self = ranks_[static_cast<std::size_t>(rank)];
    const Use left = use_of(self, operation.from, operation.count, operation.type, false);
    const Use result = use_of(self, operation.to, operation.count, operation.type, true);
    check_free(rank, 0, left, operation);
    check_free(rank, 0, result, operation);
    if (left.conflicts(result)) throw Fault(place(rank, 0, operation) + ": its two sides overlap");
    check(PMPI_Reduce_local(
        reinterpret_cast<void*>(left.address), reinterpret_cast<void*>(result.address),
        static_cast<int>(operation.count), self.program->types[operation.type], op_));
}

void InProcess::transfer(const Use& from, MPI_Datatype from_type, const Use& to,
                         MPI_Datatype to_type)
{
    const std::int64_t bytes = from.count * from.type->size;
    void* const source = reinterpret_cast<void*>(from.address);
    void* const target = reinterpret_cast<void*>(to.address);
    if (from.type->dense && to.type->dense) {
        std::memmove(target, source, static_cast<std::size_t>(bytes));
        return;
    }
    int room = 0, position = 0;
    check(PMPI_Pack_size(static_cast<int>(from.count), from_type, MPI_COMM_SELF, &room));
    packed_.resize(std::max(packed_.size(), static_cast<std::size_t>(room)));
    check(PMPI_Pack(source, static_cast<int>(from.count), from_type, packed_.data(), room,
                    &position, MPI_COMM_SELF));
    const int packed = std::exchange(position, 0);
    check(PMPI_Unpack(packed_.data(), packed, &position, target, static_cast<int>(to.count),
                      to_type, MPI_COMM_SELF));
}

std::string InProcess::place(int rank, std::uint32_t strand, const Operation& operation) const
{
    const Program& program = *ranks_[static_cast<std::size_t>(rank)].program;
    std::string text = "rank " + std::to_string(rank) + ": " + word_of(operation.kind);
    if (operation.kind == Operation::Kind::send || operation.kind == Operation::Kind::receive) {
        constexpr int first_lane = 2;
        const int context = program.contexts[operation.group];
        const char* const names[] = {"world", "node"};
        text += operation.kind == Operation::Kind::send ? " to rank " : " from rank ";
        text += std::to_string(operation.peer) + ", " + std::to_string(operation.count) +
                " elements, tag " + std::to_string(operation.tag) + ", on the ";
        text +=
            context < first_lane ? names[context] : "lane " + std::to_string(context - first_lane);
    }
    if (strand > 0) text += ", segment " + std::to_string(strand - 1);
    return text;
}

/// What each rank waits for, the first few.
std::string InProcess::waits() const
{
    constexpr int told = 16;
    std::string text;
    int lines = 0;
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank)
        for (std::size_t strand = 0; strand < ranks_[rank].children.size(); ++strand) {
            const Child& child = ranks_[rank].children[strand];
            if (!child.running || child.outstanding == 0) continue;
            const auto& text_of = ranks_[rank].program->strands[strand];
            for (const std::uint32_t number : text_of.awaited_by(text_of.operations[child.next])) {
                const Message& message = child.messages[number];
                if (message.arrived) continue;
                if (++lines <= told)
                    text += "\n  " + place(static_cast<int>(rank),
                                           static_cast<std::uint32_t>(strand), *message.operation);
            }
        }
    if (lines > told) text += "\n  and " + std::to_string(lines - told) + " more";
    return text;
}

void InProcess::check_end() const
{
    for (const Rank& rank : ranks_)
        if (rank.children[0].running) throw Fault("a deadlock; these are waited for:" + waits());
    for (const auto& [key, unmatched] : unmatched_)
        if (unmatched.sends)
            throw Fault("rank " + std::to_string(key.from) + " sends to rank " +
                        std::to_string(key.to) + " what nobody receives");
}

}  // namespace laneway
