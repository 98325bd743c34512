// SPDX-License-Identifier: BSD-3-Clause
// The arguments of a call, as its record has them.
#include <algorithm>

#include "flight/recorder.hpp"

namespace laneway::flight {

/// Reads those arguments alone that matter to this process.
void Recorder::describe(Record& record, Memory& own, const Called& called, const Word* arguments,
                        const Known& known)
{
    const Function& its = *called.function;
    bool is_root = true, takes_part = true;
    if (its.root) {
        record.root = static_cast<int>(arguments[place(its.root)]);
        is_root = known.is_inter ? record.root == MPI_ROOT : record.root == known.rank;
        takes_part = !known.is_inter || record.root != MPI_PROC_NULL;
    }
    if (its.op) record.op = word_of(own, handle_in<MPI_Op>(arguments[place(its.op)]));
    if (!takes_part) return;
    if ((its.sent || its.received) && (is_root || !its.root)) {
        record.bytes = -1;
        if (known.is_inter) return;  // a row is as long as the other group is large
        // In place, there need be no counts.
        const bool in_place =
            its.rule == Rule::exchanged && handle_in<const void*>(arguments[0]) == MPI_IN_PLACE;
        const Row sent(arguments, in_place ? '\0' : its.sent, its.sent_type);
        const Row received(arguments, its.received, its.received_type);
        const auto size = static_cast<std::uint32_t>(known.size);
        if (size > words_of_rows / 64) return;  // it would take too much of the room
        // Both rows at once: those of another thread must not come between them.
        std::uint64_t at = file_->header().next_word_of_rows.fetch_add(
            (sent.counts ? size : 0) + (received.counts ? size : 0), std::memory_order_relaxed);
        record.row = static_cast<std::uint32_t>(at);
        if (received.counts) {
            const std::uint64_t behind = sent.counts ? at + size : at;
            record.bytes = put_row(record, received_row, behind, own, called, received, size);
        }
        if (sent.counts) record.bytes = put_row(record, sent_row, at, own, called, sent, size);
        return;
    }
    const bool as_others = !is_root && its.others_count;
    const char count = as_others || !its.count ? its.others_count : its.count;
    if (!count) return;
    const char type = as_others || !its.count ? its.others_type : its.type;
    const TypeFacts facts = this->facts(own, handle_in<MPI_Datatype>(arguments[place(type)]));
    const Word counted = arguments[place(count)];
    const std::int64_t elements = called.large ? counted : static_cast<int>(counted);
    record.signature = facts.signature;
    record.bytes = facts.size < 0 ? -1 : elements * facts.size;
}

/// Keeps the bytes of a row's blocks from word `at` on; returns their sum.
std::int64_t Recorder::put_row(Record& record, Flag flag, std::uint64_t at, Memory& own,
                               const Called& called, const Row& row, std::uint32_t size)
{
    const bool by_rank = called.function->has_types_by_rank;
    const auto* const all_types = reinterpret_cast<const MPI_Datatype*>(row.types);
    TypeFacts one = by_rank ? TypeFacts{-1, 0} : facts(own, handle_in<MPI_Datatype>(row.types));
    std::int64_t sum = 0;
    for (std::uint32_t rank = 0; rank < size; ++rank) {
        const std::int64_t count = called.large
                                       ? reinterpret_cast<const MPI_Count*>(row.counts)[rank]
                                       : reinterpret_cast<const int*>(row.counts)[rank];
        if (by_rank) one = count > 0 ? facts(own, all_types[rank]) : TypeFacts{1, 0};
        const std::int64_t bytes = count * std::max<std::int64_t>(one.size, 0);
        file_->word_of_row(at + rank) = bytes;
        sum += bytes;
    }
    if (!by_rank) record.signature = one.signature;
    record.flags = static_cast<std::uint8_t>(record.flags | flag);
    return sum;
}

}  // namespace laneway::flight
