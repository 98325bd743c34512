// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

#include "collectives/catalogue.hpp"

/// The functions that are recorded, and where their arguments are: these are called a, b, c and so on, as in
/// library/interposed.h.
namespace laneway::flight {

enum class Form : std::uint8_t { blocking, nonblocking, persistent, start };

/// All that the processes of a call must have alike: whoever reads records must know it.
enum class Rule : std::uint8_t {
    none,       ///< nothing, or nothing that one process knows
    bytes,      ///< its bytes, which are those of a block
    row,        ///< its row of bytes
    scattered,  ///< the root's row, of which each process has its block
    gathered,   ///< likewise
    exchanged,  ///< its rows: what is sent to a process is what that one receives
    maker,      ///< makes a communicator
    message,    ///< no collective: has a partner and a tag
    other,      ///< no collective
};

struct Function {
    std::string_view name;  ///< in lower case
    Rule rule;
    char comm = 0, root = 0, op = 0;
    /// Count and type of a block. A rooted collective has the root's, and all others'.
    char count = 0, type = 0, others_count = 0, others_type = 0;
    /// Counts and types of the row that is sent, and of the one that is received. Alltoallw has arrays of types.
    char sent = 0, sent_type = 0, received = 0, received_type = 0;
    char made = 0;  ///< the new communicator
    bool has_types_by_rank = false;
    char partner = 0, tag = 0;
};

/// A reduction: input, result, count or counts, type, operator, the root where there is one, communicator.
template <class Call>
consteval Function reduction()
{
    Function its{.name = Call::name, .rule = Rule::bytes, .comm = 'f', .op = 'e'};
    if (is_rooted<Call>) {
        its.root = 'f';
        its.comm = 'g';
    }
    if (is_vector<Call>) its.rule = Rule::row;
    (is_vector<Call> ? its.received : its.count) = 'c';
    (is_vector<Call> ? its.received_type : its.type) = 'd';
    return its;
}

/// All other functions.
inline constexpr auto besides_reductions = std::to_array<Function>({
    {.name = "barrier", .rule = Rule::none, .comm = 'a'},
    {.name = "bcast", .rule = Rule::bytes, .comm = 'e', .root = 'd', .count = 'b', .type = 'c'},
    {.name = "scatter",
     .rule = Rule::bytes,
     .comm = 'h',
     .root = 'g',
     .count = 'b',
     .type = 'c',
     .others_count = 'e',
     .others_type = 'f'},
    {.name = "gather",
     .rule = Rule::bytes,
     .comm = 'h',
     .root = 'g',
     .count = 'e',
     .type = 'f',
     .others_count = 'b',
     .others_type = 'c'},
    {.name = "allgather", .rule = Rule::bytes, .comm = 'g', .count = 'e', .type = 'f'},
    {.name = "alltoall", .rule = Rule::bytes, .comm = 'g', .count = 'e', .type = 'f'},
    {.name = "scatterv",
     .rule = Rule::scattered,
     .comm = 'i',
     .root = 'h',
     .others_count = 'f',
     .others_type = 'g',
     .sent = 'b',
     .sent_type = 'd'},
    {.name = "gatherv",
     .rule = Rule::gathered,
     .comm = 'i',
     .root = 'h',
     .others_count = 'b',
     .others_type = 'c',
     .received = 'e',
     .received_type = 'g'},
    {.name = "allgatherv", .rule = Rule::row, .comm = 'h', .received = 'e', .received_type = 'g'},
    {.name = "alltoallv",
     .rule = Rule::exchanged,
     .comm = 'i',
     .sent = 'b',
     .sent_type = 'd',
     .received = 'f',
     .received_type = 'h'},
    {.name = "alltoallw",
     .rule = Rule::exchanged,
     .comm = 'i',
     .sent = 'b',
     .sent_type = 'd',
     .received = 'f',
     .received_type = 'h',
     .has_types_by_rank = true},
    {.name = "neighbor_allgather", .rule = Rule::none, .comm = 'g', .count = 'b', .type = 'c'},
    {.name = "neighbor_allgatherv", .rule = Rule::none, .comm = 'h', .count = 'b', .type = 'c'},
    {.name = "neighbor_alltoall", .rule = Rule::none, .comm = 'g', .count = 'b', .type = 'c'},
    {.name = "neighbor_alltoallv", .rule = Rule::none, .comm = 'i'},
    {.name = "neighbor_alltoallw", .rule = Rule::none, .comm = 'i'},
    {.name = "comm_dup", .rule = Rule::maker, .comm = 'a', .made = 'b'},
    {.name = "comm_dup_with_info", .rule = Rule::maker, .comm = 'a', .made = 'c'},
    {.name = "comm_idup", .rule = Rule::maker, .comm = 'a', .made = 'b'},
    {.name = "comm_idup_with_info", .rule = Rule::maker, .comm = 'a', .made = 'c'},
    {.name = "comm_create", .rule = Rule::maker, .comm = 'a', .made = 'c'},
    {.name = "comm_create_group", .rule = Rule::maker, .comm = 'a', .made = 'd', .tag = 'c'},
    {.name = "comm_split", .rule = Rule::maker, .comm = 'a', .made = 'd'},
    {.name = "comm_split_type", .rule = Rule::maker, .comm = 'a', .made = 'e'},
    {.name = "cart_create", .rule = Rule::maker, .comm = 'a', .made = 'f'},
    {.name = "cart_sub", .rule = Rule::maker, .comm = 'a', .made = 'c'},
    {.name = "graph_create", .rule = Rule::maker, .comm = 'a', .made = 'f'},
    {.name = "dist_graph_create", .rule = Rule::maker, .comm = 'a', .made = 'i'},
    {.name = "dist_graph_create_adjacent", .rule = Rule::maker, .comm = 'a', .made = 'j'},
    {.name = "intercomm_create", .rule = Rule::maker, .comm = 'a', .made = 'f', .tag = 'e'},
    {.name = "intercomm_merge", .rule = Rule::maker, .comm = 'a', .made = 'c'},
    {.name = "finalize", .rule = Rule::none},
    {.name = "send", .rule = Rule::message, .comm = 'f', .partner = 'd', .tag = 'e'},
    {.name = "ssend", .rule = Rule::message, .comm = 'f', .partner = 'd', .tag = 'e'},
    {.name = "recv", .rule = Rule::message, .comm = 'f', .partner = 'd', .tag = 'e'},
    {.name = "sendrecv", .rule = Rule::message, .comm = 'k', .partner = 'i', .tag = 'j'},
    {.name = "sendrecv_replace", .rule = Rule::message, .comm = 'h', .partner = 'f', .tag = 'g'},
    {.name = "probe", .rule = Rule::message, .comm = 'c', .partner = 'a', .tag = 'b'},
    {.name = "mprobe", .rule = Rule::message, .comm = 'c', .partner = 'a', .tag = 'b'},
    {.name = "wait", .rule = Rule::other},
    {.name = "waitall", .rule = Rule::other},
    {.name = "waitany", .rule = Rule::other},
    {.name = "waitsome", .rule = Rule::other},
    {.name = "comm_free", .rule = Rule::other},
    {.name = "comm_disconnect", .rule = Rule::other},
});

inline constexpr auto functions = [] {
    constexpr auto reductions = std::ranges::count(collectives_that_reduce, true);
    std::array<Function, besides_reductions.size() + reductions> all{};
    auto next = std::ranges::copy(besides_reductions, all.begin()).out;
    for_each_call([&]<class Call>(std::type_identity<Call>) {
        if constexpr (reduces<Call>) *next++ = reduction<Call>();
    });
    return all;
}();

/// A function in one of its forms, which is what a record names.
struct Called {
    const Function* function;
    Form form;
    bool large;  ///< it counts with MPI_Count

    std::uint16_t code() const
    {
        return static_cast<std::uint16_t>(4 * (function - functions.data()) +
                                          static_cast<int>(form));
    }
    bool completes_later() const
    {
        return form == Form::nonblocking || function->name.starts_with("comm_idup");
    }
};

/// The place of an argument.
constexpr std::size_t place(char argument) { return static_cast<std::size_t>(argument - 'a'); }

constexpr const Function* find(std::string_view name)
{
    for (const Function& one : functions)
        if (one.name == name) return &one;
    return nullptr;
}

/// A function by its name in the C API, such as iallreduce_c. One that is not in the list above is not compiled.
consteval Called called(std::string_view name, Form form)
{
    const bool large = name.ends_with("_c");
    if (large) name.remove_suffix(2);
    if (form == Form::nonblocking) name.remove_prefix(1);
    if (form == Form::persistent) name.remove_suffix(5);
    const Function* const function = find(name);
    if (!function) throw name;  // nothing that can be compiled
    return {function, form, large};
}

/// All of them as JSON, for whoever reads the records.
std::string functions_in_json();

}  // namespace laneway::flight
