// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/schedule.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

namespace laneway {
namespace {

/// The key that both sides of a message agree on: the peer, the communicator and the tag. Several messages with one
/// key match in their order.
constexpr int tag_bits = 22, context_bits = 18, peer_bits = 24;

constexpr bool fits(int value, int bits) { return value >= 0 && value < 1 << bits; }

std::uint64_t key(int peer, std::uint64_t channel)
{
    return static_cast<std::uint64_t>(peer) << (context_bits + tag_bits) | channel;
}

std::uint64_t channel_of(std::uint64_t key)
{
    return key & ((std::uint64_t{1} << (context_bits + tag_bits)) - 1);
}

using Side = std::pair<std::uint64_t, std::uint32_t>;  ///< key and number of a message

std::string text_of(const Schedule& schedule, std::uint32_t message)
{
    const bool sends = schedule.is_send(message);
    return "rank " + std::to_string(schedule.rank_of(message)) +
           (sends ? " sends to rank " : " receives from rank ") +
           std::to_string(schedule.step_of(message).peer);
}

}  // namespace

void Schedule::add(const Program& program)
{
    sizes_.clear();
    for (const MPI_Datatype type : program.types)
        sizes_.push_back({size_of(type), is_gap_free(type)});
    const auto first = static_cast<std::uint32_t>(strands_.size());
    first_strand_.push_back(first);
    for (const auto& strand : program.strands) add_strand(program, strand, first);

    scratch_bytes_ = std::max(scratch_bytes_, program.scratch_bytes());
    if (steps_.size() > std::numeric_limits<std::uint32_t>::max())
        throw std::length_error("a schedule of more than four thousand million steps");
}

void Schedule::add_strand(const Program& program, const laneway::Strand& strand,
                          std::uint32_t first)
{
    const auto number = static_cast<std::uint32_t>(strands_.size());
    const auto first_message = static_cast<std::uint32_t>(messages_.size());
    strands_.push_back({ranks() - 1, static_cast<std::uint32_t>(steps_.size()), first_message});
    for (const Operation& operation : strand.operations) {
        Step step{.kind = operation.kind, .peer = operation.peer};
        switch (operation.kind) {
        case Operation::Kind::send:
        case Operation::Kind::receive:
            messages_.push_back({number, static_cast<std::uint32_t>(steps_.size()), 0});
            keys_.push_back(key_of(program, strand, operation));
            [[fallthrough]];
        case Operation::Kind::copy:
        case Operation::Kind::reduce:
            step.bytes = operation.count * sizes_[operation.type].bytes;
            step.packs =
                !sizes_[operation.type].dense ||
                (operation.kind == Operation::Kind::copy && !sizes_[operation.to_type].dense);
            break;
        case Operation::Kind::wait:
            step.peer = static_cast<std::int32_t>(operation.count);
            step.bytes = static_cast<std::int64_t>(awaited_.size());
            for (const std::uint32_t message : strand.awaited_by(operation))
                awaited_.push_back(first_message + message);
            break;
        case Operation::Kind::fork:
        case Operation::Kind::join:
            step.peer += static_cast<std::int32_t>(first);
            break;
        case Operation::Kind::pack:
        case Operation::Kind::unpack:
            break;  // over MPI alone
        }
        steps_.push_back(step);
    }
}

std::uint64_t Schedule::key_of(const Program& program, const laneway::Strand& strand,
                               const Operation& operation) const
{
    const int context = program.contexts[operation.group];
    const int tag = program.tag_of(strand, operation);
    if (!fits(context, context_bits) || !fits(tag, tag_bits) || !fits(operation.peer, peer_bits))
        throw std::length_error("a schedule of too many ranks, communicators or tags");
    return key(operation.peer,
               static_cast<std::uint64_t>(context) << tag_bits | static_cast<std::uint64_t>(tag));
}

void Schedule::match()
{
    // All sends, by the rank that receives them.
    std::vector<std::size_t> first(static_cast<std::size_t>(ranks()) + 1, 0);
    for (std::uint32_t message = 0; message < messages_.size(); ++message)
        if (is_send(message)) ++first[static_cast<std::size_t>(step_of(message).peer) + 1];
    for (std::size_t rank = 1; rank < first.size(); ++rank) first[rank] += first[rank - 1];
    std::vector<Side> arriving(first.back());
    std::vector<std::size_t> next = first;
    for (std::uint32_t message = 0; message < messages_.size(); ++message)
        if (is_send(message))
            arriving[next[static_cast<std::size_t>(step_of(message).peer)]++] = {
                key(rank_of(message), channel_of(keys_[message])), message};

    std::vector<Side> expected;
    std::uint32_t message = 0;
    for (int rank = 0; rank < ranks(); ++rank) {
        expected.clear();
        for (; message < messages_.size() && rank_of(message) == rank; ++message)
            if (!is_send(message)) expected.emplace_back(keys_[message], message);
        const auto sent = std::span(arriving).subspan(
            first[static_cast<std::size_t>(rank)],
            first[static_cast<std::size_t>(rank) + 1] - first[static_cast<std::size_t>(rank)]);
        std::ranges::sort(sent);
        std::ranges::sort(expected);
        for (std::size_t i = 0; i < std::max(sent.size(), expected.size()); ++i) {
            if (i == sent.size() || (i < expected.size() && expected[i].first < sent[i].first))
                throw Unmatched(text_of(*this, expected[i].second) + " what nobody sends");
            if (i == expected.size() || sent[i].first < expected[i].first)
                throw Unmatched(text_of(*this, sent[i].second) + " what nobody receives");
            const std::uint32_t send = sent[i].second, receive = expected[i].second;
            if (step_of(send).bytes != step_of(receive).bytes)
                throw Unmatched(text_of(*this, send) +
                                " a message of another length than is expected");
            messages_[send].partner = receive;
            messages_[receive].partner = send;
        }
    }
    keys_ = {};
}

}  // namespace laneway
