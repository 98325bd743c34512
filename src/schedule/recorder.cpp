// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/recorder.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "data/buffer.hpp"
#include "schedule/address.hpp"

namespace laneway {
namespace {

constexpr std::size_t table_at_most = 65536;

/// The index of `value` among the last `looked_at` of `table`, from the end: what an algorithm uses next is mostly what
/// it used last. The table's size: the value isn't there.
template <class Value>
std::size_t index_in(const std::vector<Value>& table, Value value, std::size_t looked_at)
{
    const std::size_t end = table.size() - std::min(table.size(), looked_at);
    for (std::size_t index = table.size(); index-- > end;)
        if (table[index] == value) return index;
    return table.size();
}

/// Bytes rounded up, so that no two temporaries share a cache line.
std::size_t aligned(std::size_t bytes)
{
    constexpr std::size_t line = 64;
    return (bytes + line - 1) / line * line;
}

}  // namespace

Recorder::Recorder(const Comm& world, std::size_t buffers, int tags, bool saves_bytes,
                   Program empty)
    : saves_bytes_(saves_bytes),
      program_(std::move(empty)),
      used_{0}
{
    group_of(world);
    program_.buffers = buffers;
    program_.tags = tags;
    program_.scratch.push_back(0);
}

Program Recorder::take()
{
    end();
    return std::move(program_);
}

Operation& Recorder::message(Operation::Kind kind, const Comm& comm, const Buffer& data, int peer,
                             int tag)
{
    if (tag >= program_.tags)
        throw std::out_of_range("tag " + std::to_string(tag) + ": algorithms have those below " +
                                std::to_string(program_.tags));
    const std::uint16_t group = group_of(comm), type = index_of(data.type);
    check_use(data, type);
    if (checks) under_way().uses.push_back(data.data);
    Operation& operation = append(kind);
    operation.group = group;
    operation.type = type;
    operation.peer = comm.travels_on() == MPI_COMM_NULL ? comm.world_rank(peer) : peer;
    operation.tag = tag;
    operation.count = data.count;
    return operation;
}

std::uint32_t Recorder::send(const Comm& comm, const Buffer& data, int to, int tag)
{
    message(Operation::Kind::send, comm, data, to, tag).from = data.data;
    return strand().messages++;
}

std::uint32_t Recorder::receive(const Comm& comm, const Buffer& data, int from, int tag)
{
    message(Operation::Kind::receive, comm, data, from, tag).to = data.data;
    return strand().messages++;
}

void Recorder::wait(const std::uint32_t* messages, std::size_t count)
{
    if (count == 0) return;
    for (std::size_t index = 0; checks && index < count; ++index)
        under_way().waited_for +=
            std::exchange(under_way().uses[messages[index]], nullptr) != nullptr;
    Operation& operation = append(Operation::Kind::wait);
    operation.to_count = static_cast<std::int64_t>(strand().awaited.size());
    operation.count = static_cast<std::int64_t>(count);
    strand().awaited.insert(strand().awaited.end(), messages, messages + count);
}

void Recorder::copy(const Buffer& from, const Buffer& to)
{
    if (from.count == 0) return;
    const std::uint16_t type = index_of(from.type), to_type = index_of(to.type);
    check_use(from, type);
    check_use(to, to_type);
    Operation& operation = append(Operation::Kind::copy);
    operation.type = type;
    operation.to_type = to_type;
    operation.from = from.data;
    operation.to = to.data;
    operation.count = from.count;
    operation.to_count = to.count;
}

void Recorder::reduce(const Buffer& left, const Buffer& result)
{
    const std::uint16_t type = index_of(result.type);
    check_use(left, type);
    check_use(result, type);
    Operation& operation = append(Operation::Kind::reduce);
    operation.type = type;
    operation.from = left.data;
    operation.to = result.data;
    operation.count = result.count;
}

void* Recorder::allocate(std::size_t bytes)
{
    const std::size_t slot = strand().slot;
    void* const start =
        advanced(symbolic::address(program_.buffers + slot), static_cast<std::int64_t>(used()));
    used() += aligned(bytes);
    program_.scratch[slot] = std::max(program_.scratch[slot], used());
    return start;
}

/// Scopes end in the opposite order, and with them their memory. Memory that does not keep to that stays until its
/// strand ends.
void Recorder::give_back(void* start, std::size_t bytes)
{
    const auto& [uses, waited_for] = under_way();
    for (std::size_t at = 0; waited_for < uses.size() && at < uses.size(); ++at)
        if (uses[at] >= start && uses[at] < advanced(start, static_cast<std::int64_t>(bytes)))
            program_.misuse = "temporary memory is given back while a message under way uses it";
    const auto offset = static_cast<std::size_t>(symbolic::offset_of(start));
    if (offset + aligned(bytes) == used()) used() = offset;
}

void Recorder::keep(MPI_Datatype type)
{
    program_.owned_types.emplace_back(type);
    // Libraries keep the numbers, and a description for each block: about 40 bytes, in Open MPI and MPICH.
    constexpr std::size_t of_number = 24, of_type = 512;
    program_.type_bytes += of_type + of_number * static_cast<std::size_t>(numbers_in(type));
}

void Recorder::check_use(const Buffer& data, std::uint16_t type)
{
    if (!checks || data.count == 0) return;
    const std::size_t base = symbolic::base_of(data.data);
    if (base < program_.buffers) return;
    const std::intptr_t first = symbolic::offset_of(data.data) + lower_bounds_[type];
    if (data.extent >= 0 && first >= static_cast<std::intptr_t>(used_[base - program_.buffers]))
        program_.misuse = "temporary memory is used that has been given back";
}

std::uint16_t Recorder::group_of(const Comm& comm)
{
    const std::size_t group = index_in<const Comm*>(program_.groups, &comm, program_.groups.size());
    if (group == program_.groups.size()) {
        if (group == table_at_most) throw std::length_error("a program of too many communicators");
        program_.groups.push_back(&comm);
        program_.contexts.push_back(comm.context());
    }
    return static_cast<std::uint16_t>(group);
}

std::uint16_t Recorder::index_of(MPI_Datatype type)
{
    constexpr std::size_t few = 16;
    auto& types = program_.types;
    const std::size_t index = index_in(types, type, few);
    if (index < types.size()) return static_cast<std::uint16_t>(index);
    if (types.size() == table_at_most) throw std::length_error("a program of too many types");
    const auto last = static_cast<std::uint16_t>(types.size());
    if (types.size() >= few) {
        if (type_index_.empty())
            for (std::uint16_t at = 0; at < last; ++at) type_index_[number_of(types[at])] = at;
        const auto [known, is_new] = type_index_.try_emplace(number_of(type), last);
        if (!is_new) return known->second;
    }
    types.push_back(type);
    if (checks) lower_bounds_.push_back(true_extent_of(type).lower_bound);
    return last;
}

void Recorder::fork(std::uint32_t slot)
{
    const auto child = static_cast<std::int32_t>(program_.strands.size());
    append(Operation::Kind::fork).peer = child;
    program_.strands.emplace_back().slot = slot;
    if (slot >= program_.scratch.size()) {
        program_.scratch.resize(slot + 1, 0);
        used_.resize(slot + 1, 0);
    }
    strand_ = static_cast<std::size_t>(child);
    used() = 0;
    of_child_.uses.clear();
    of_child_.waited_for = 0;
}

void Recorder::join(std::size_t child)
{
    append(Operation::Kind::join).peer = static_cast<std::int32_t>(child);
}

}  // namespace laneway
