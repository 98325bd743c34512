// SPDX-License-Identifier: BSD-3-Clause
#include "bench/operations/reduction_op.hpp"

#include <algorithm>

#include "bench/text/words.hpp"

namespace laneway::bench {
namespace {

/// The one of two pairs that goes before; of equal numbers the one with the lower place (MPI 4.1, 6.9.4).
Value first_of(Value a, Value b, bool a_before, bool b_before)
{
    if (a_before != b_before) return a_before ? a : b;
    return {a.number, std::min(a.place, b.place)};
}

const std::vector<ReductionOp>& ops()
{
    using enum ReductionOp::Domain;
    using V = Value;
    static const std::vector<ReductionOp> table = {
        {"sum", MPI_SUM, arithmetic, [](V a, V b) { return V{a.number + b.number, 0}; }},
        {"prod", MPI_PROD, arithmetic, [](V a, V b) { return V{a.number * b.number, 0}; }},
        {"max", MPI_MAX, order, [](V a, V b) { return V{std::max(a.number, b.number), 0}; }},
        {"min", MPI_MIN, order, [](V a, V b) { return V{std::min(a.number, b.number), 0}; }},
        {"land", MPI_LAND, truth, [](V a, V b) { return V{a.number != 0 && b.number != 0, 0}; }},
        {"lor", MPI_LOR, truth, [](V a, V b) { return V{a.number != 0 || b.number != 0, 0}; }},
        {"lxor", MPI_LXOR, truth,
         [](V a, V b) { return V{(a.number != 0) != (b.number != 0), 0}; }},
        {"band", MPI_BAND, bits, [](V a, V b) { return V{a.number & b.number, 0}; }},
        {"bor", MPI_BOR, bits, [](V a, V b) { return V{a.number | b.number, 0}; }},
        {"bxor", MPI_BXOR, bits, [](V a, V b) { return V{a.number ^ b.number, 0}; }},
        {"minloc", MPI_MINLOC, place,
         [](V a, V b) { return first_of(a, b, a.number < b.number, b.number < a.number); }},
        {"maxloc", MPI_MAXLOC, place,
         [](V a, V b) { return first_of(a, b, a.number > b.number, b.number > a.number); }},
    };
    return table;
}

}  // namespace

const ReductionOp& reduction_op(const std::string& name)
{
    return named(ops(), &ReductionOp::name, "unknown op", name);
}

std::vector<std::string> reduction_op_names() { return names(ops(), &ReductionOp::name); }

bool applies(const ReductionOp& op, const ElementType& type)
{
    using Kind = ElementType::Kind;
    const Kind kind = type.kind;
    const bool whole = kind == Kind::integer || kind == Kind::address;
    switch (op.domain) {
    case ReductionOp::Domain::order:
        return whole || kind == Kind::floating;
    case ReductionOp::Domain::arithmetic:
        return whole || kind == Kind::floating || kind == Kind::complex;
    case ReductionOp::Domain::truth:
        return kind == Kind::integer || kind == Kind::logical;
    case ReductionOp::Domain::bits:
        return whole || kind == Kind::byte;
    case ReductionOp::Domain::place:
        return kind == Kind::pair;
    }
    return false;
}

}  // namespace laneway::bench
