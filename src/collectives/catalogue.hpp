// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdlib>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

#include "collectives/calls.hpp"

/// The catalogue: which collectives there are, and what is the same for all of them.
namespace laneway {

/// A collective by its place in the catalogue, where no types are wanted: registry, rules, report.
using Collective = std::size_t;
inline constexpr std::size_t collectives = std::tuple_size_v<Calls>;

/// @name Traits of a call's struct
/// @{

/// Whether an operator is applied to the user's data.
template <class Call>
constexpr bool reduces = requires(const Call& call) { call.op; };

/// Whether a process gets the reduction of what the ranks before it have.
template <class Call>
constexpr bool reduces_prefixes = requires { Call::reduces_prefixes; };

/// Whether one process has the whole message, or gets it.
template <class Call>
constexpr bool is_rooted = requires(const Call& call) { call.root; };

/// Whether counts differ by rank.
template <class Call>
constexpr bool is_vector = requires { typename Call::Regular; };

/// Whether blocks go between pairs of processes, and their lengths differ.
template <class Call>
constexpr bool is_between_pairs = std::is_base_of_v<Alltoallv, Call>;

/// Whether no process is done before all have come, unless there are no elements: the count, which all processes pass
/// alike, says so.
template <class Call>
constexpr bool all_meet = requires { Call::all_meet; };

/// Whether no process is done before all have come, where there are bytes: each gets some of every other one.
template <class Call>
constexpr bool all_meet_with_data =
    all_meet<Call> || std::is_same_v<Call, Allgather> || std::is_same_v<Call, Alltoall>;

/// @}

/// `body(std::type_identity<Call>{})` for every collective.
template <class Body>
constexpr void for_each_call(const Body& body)
{
    [&]<class... Call>(std::tuple<Call...>*) {
        (body(std::type_identity<Call>{}), ...);
    }(static_cast<Calls*>(nullptr));
}

/// The place of a call's struct in the catalogue.
template <class Call>
inline constexpr Collective collective_of = [] {
    Collective place = 0, found = collectives;
    for_each_call([&]<class Other>(std::type_identity<Other>) {
        if (std::is_same_v<Call, Other>) found = place;
        ++place;
    });
    return found;
}();

/// `body(std::type_identity<Call>{})` for one collective.
template <class Body>
void with_call(Collective collective, const Body& body)
{
    if (collective >= collectives) std::abort();
    for_each_call([&]<class Call>(std::type_identity<Call> call) {
        if (collective == collective_of<Call>) body(call);
    });
}

/// The results of `body(std::type_identity<Call>{})` for all collectives, in the order of the catalogue.
template <class Body>
constexpr auto of_each_call(const Body& body)
{
    return []<class... Call>(const Body& of, std::tuple<Call...>*) {
        return std::array{of(std::type_identity<Call>{})...};
    }(body, static_cast<Calls*>(nullptr));
}

inline constexpr std::array<const char*, collectives> names_of_collectives =
    of_each_call([]<class Call>(std::type_identity<Call>) { return Call::name; });
inline constexpr std::array<bool, collectives> collectives_that_reduce =
    of_each_call([]<class Call>(std::type_identity<Call>) { return reduces<Call>; });

/// Any call: a parameter, which refers to the struct.
class AnyCall {
public:
    template <class Call>
        requires requires { Call::message; }
    AnyCall(const Call& call) : call_(&call)
    {
    }

    /// `body(call)`
    template <class Body>
    void visit(const Body& body) const
    {
        std::visit([&](const auto* call) { body(*call); }, call_);
    }

private:
    template <class Tuple>
    struct PointerTo;
    template <class... Call>
    struct PointerTo<std::tuple<Call...>> {
        using type = std::variant<const Call*...>;
    };

    PointerTo<Calls>::type call_;
};

}  // namespace laneway
