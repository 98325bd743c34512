// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/packing.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <utility>

#include "data/buffer.hpp"
#include "schedule/address.hpp"

namespace laneway {
namespace {

using Kind = Operation::Kind;

/// Steps of a row, as intervals.
class Steps {
public:
    Steps(std::int64_t first, std::int64_t end)
    {
        if (first < end) ends_.emplace(first, end);
    }

    /// Takes out the steps in [first, end), and calls `body(first, end)` for those of them that were in.
    template <class Body>
    void take(std::int64_t first, std::int64_t end, const Body& body)
    {
        auto at = ends_.upper_bound(first);
        if (at != ends_.begin() && std::prev(at)->second > first) --at;
        while (at != ends_.end() && at->first < end) {
            const auto [from, to] = *at;
            at = ends_.erase(at);
            if (from < first) ends_.emplace(from, first);
            if (to > end) ends_.emplace(end, to);
            body(std::max(from, first), std::min(to, end));
        }
    }

private:
    std::map<std::int64_t, std::int64_t> ends_;
};

/// Whether an operation may have to wait for others.
bool blocks(const Operation& operation)
{
    return operation.kind == Kind::wait || operation.kind == Kind::join;
}

class Pass {
public:
    Pass(const Program& program, const std::vector<PackedData>& data, Footprints& types)
        : program_(program),
          data_(data),
          types_(types),
          text_(program.strands[0].operations),
          before_(text_.size()),
          after_(text_.size())
    {
        for (const Operation& operation : text_)
            if (operation.kind == Kind::send || operation.kind == Kind::receive)
                messages_.push_back(&operation);
    }

    std::vector<Operation> run()
    {
        find_first_uses();
        find_last_writes();
        return woven();
    }

private:
    using Found = std::vector<std::pair<std::int64_t, std::int64_t>>;

    void find_first_uses()
    {
        std::vector<Steps> left = steps(&PackedData::out);
        for (std::size_t at = 0; at < text_.size(); ++at)
            take(left, Kind::pack, before_[at], [&](const auto& body) {
                const Operation& operation = text_[at];
                const auto all = [&](const Operation& of) {
                    for_reads(of, body);
                    for_writes(of, body);
                };
                all(operation);
                if (operation.kind == Kind::fork)
                    for (const Operation& of : child(operation)) all(of);
            });
    }

    void find_last_writes()
    {
        std::vector<Steps> left = steps(&PackedData::in);
        for (std::size_t at = text_.size(); at-- > 0;)
            take(left, Kind::unpack, after_[at], [&](const auto& body) {
                const Operation& operation = text_[at];
                if (operation.kind == Kind::join) {
                    for (const Operation& of : child(operation)) for_writes(of, body);
                } else if (operation.kind == Kind::wait) {
                    for (const auto message : program_.strands[0].awaited_by(operation))
                        for_writes(*messages_[message], body);
                } else if (operation.kind != Kind::receive) {
                    for_writes(operation, body);
                }
            });
    }

    /// The program with the operations that were found. Before one that may wait, the needs of the operation after it
    /// are packed. Then the data that the last such operation has brought are unpacked, behind the operations between
    /// both: first others get what they wait for.
    std::vector<Operation> woven() const
    {
        std::vector<Operation> result, brought;
        const auto add = [&](const std::vector<Operation>& operations) {
            result.insert(result.end(), operations.begin(), operations.end());
        };
        for (std::size_t at = 0; at < text_.size(); ++at) {
            if (at == 0 || !blocks(text_[at - 1])) add(before_[at]);
            if (blocks(text_[at])) {
                if (at + 1 < text_.size()) add(before_[at + 1]);
                add(std::exchange(brought, {}));
            }
            result.push_back(text_[at]);
            brought.insert(brought.end(), after_[at].begin(), after_[at].end());
        }
        add(brought);
        return result;
    }

    /// The steps of all data.
    std::vector<Steps> steps(Stretch PackedData::* which) const
    {
        std::vector<Steps> result;
        for (const PackedData& one : data_) {
            const Stretch& elements = one.*which;
            result.emplace_back(elements.first / one.elements,
                                (elements.first + elements.count) / one.elements);
        }
        return result;
    }

    /// Takes the steps out of `left` that `uses(body)` tells `body(address, bytes)` of, and adds operations for them.
    template <class Uses>
    void take(std::vector<Steps>& left, Kind kind, std::vector<Operation>& operations,
              const Uses& uses)
    {
        std::vector<Found> found(data_.size());
        uses([&](const void* address, std::int64_t bytes) {
            for (std::size_t which = 0; which < data_.size(); ++which) {
                const PackedData& data = data_[which];
                if (symbolic::base_of(address) != symbolic::base_of(data.start)) continue;
                const std::int64_t from =
                    symbolic::offset_of(address) - symbolic::offset_of(data.start);
                left[which].take(
                    from / data.step_bytes, (from + bytes - 1) / data.step_bytes + 1,
                    [&](auto first, auto end) { found[which].emplace_back(first, end); });
            }
        });
        for (std::size_t which = 0; which < data_.size(); ++which)
            append(operations, kind, which, std::move(found[which]));
    }

    /// Appends one operation for steps that lie in a row.
    void append(std::vector<Operation>& operations, Kind kind, std::size_t which, Found found) const
    {
        std::ranges::sort(found);
        const std::int64_t elements = data_[which].elements;
        for (std::size_t at = 0; at < found.size();) {
            auto [first, end] = found[at];
            while (++at < found.size() && found[at].first == end) end = found[at].second;
            operations.push_back({.kind = kind,
                                  .peer = static_cast<std::int32_t>(which),
                                  .count = (end - first) * elements,
                                  .to_count = first * elements});
        }
    }

    const std::vector<Operation>& child(const Operation& fork_or_join) const
    {
        return program_.strands[static_cast<std::size_t>(fork_or_join.peer)].operations;
    }

    template <class Body>
    void for_reads(const Operation& operation, const Body& body)
    {
        if (operation.kind == Kind::send || operation.kind == Kind::copy ||
            operation.kind == Kind::reduce)
            for_bytes(operation.from, operation.count, operation.type, body);
    }

    template <class Body>
    void for_writes(const Operation& operation, const Body& body)
    {
        if (operation.kind == Kind::receive || operation.kind == Kind::reduce)
            for_bytes(operation.to, operation.count, operation.type, body);
        if (operation.kind == Kind::copy)
            for_bytes(operation.to, operation.to_count, operation.to_type, body);
    }

    /// Calls `body(address, bytes)` for the bytes that elements consist of, if they are packed data.
    template <class Body>
    void for_bytes(void* address, std::int64_t count, std::uint16_t type, const Body& body)
    {
        const std::size_t base = symbolic::base_of(address);
        if (count == 0 || std::ranges::none_of(data_, [&](const PackedData& data) {
                return symbolic::base_of(data.start) == base;
            }))
            return;
        const Footprint& footprint = types_.of(program_.types[type]);
        if (footprint.size == 0) return;
        if (footprint.dense) return body(address, count * footprint.size);
        for (; count > 0; --count, address = advanced(address, footprint.extent))
            for (const auto& [first, last] : footprint.pieces)
                body(advanced(address, first), last - first);
    }

    const Program& program_;
    const std::vector<PackedData>& data_;
    Footprints& types_;
    const std::vector<Operation>& text_;
    std::vector<const Operation*> messages_;  ///< messages of the program
    std::vector<std::vector<Operation>> before_, after_;
};

}  // namespace

void add_packing(Program& program, const std::vector<PackedData>& data, Footprints& types)
{
    if (data.empty()) return;
    program.strands[0].operations = Pass(program, data, types).run();
}

}  // namespace laneway
