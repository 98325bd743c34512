// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <laneway.h>
#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "call/communicator/state.hpp"
#include "call_form.hpp"
#include "collectives/algorithm.hpp"
#include "data/scratch.hpp"
#include "forms.hpp"
#include "irregular.hpp"
#include "library/error.hpp"
#include "operators.hpp"
#include "providers/plain.hpp"
#include "shapes.hpp"

namespace laneway::property {

struct Collective;

/// Who passes MPI_IN_PLACE: in rooted collectives the root at most.
enum class InPlace : unsigned char {
    nobody,
    everybody,
    some,  ///< every other rank
};

/// One call to be made and judged.
struct Case {
    const Collective* collective;
    std::string_view algorithm;
    const Shape* shape;
    const Form* form;
    const Operator* op;  ///< null where nothing is reduced
    int count;           ///< elements; of a block where there is one a rank
    int root;            ///< -1 where there is none
    InPlace in_place;
    const Irregular* irregular = nullptr;  ///< blocks of a vector collective

    /// The parameters in words; names the case for `--case`.
    std::string id() const;
};

/// Whether its operator is the user's, and the setting does not say that it may be called with parts of messages.
bool keeps_whole(const Case& the_case);

/// Insignificant arguments, to be read by nobody.
struct Garbage {
    void* buffer = reinterpret_cast<void*>(1);
    int count = -1;
    MPI_Datatype type = MPI_DATATYPE_NULL;
};
inline const Garbage garbage;

/// How a case is run on one process, and what was found wrong there.
class Trial {
public:
    Trial(const Case& the_case, MPI_Comm comm);

    const Case& of() const { return case_; }
    MPI_Comm comm() const { return comm_; }
    int rank() const { return rank_; }
    int size() const { return size_; }
    bool is_root() const { return rank_ == case_.root; }
    /// The calling rank passes MPI_IN_PLACE.
    bool in_place() const;

    /// Makes the call under test, which must not write to its `input` (null: none), whatever it
    /// writes. Ends the job where it fails, as other processes would hang.
    void serve(const Memory* input, const std::function<int()>& call);

    /// Reports an MPI error and ends the job.
    [[noreturn]] void end(const char* where, int code) const;

    /// The algorithm must have served that is eligible, and within its documented memory: that
    /// for `message` bytes, and `wire` bytes for what has gaps.
    template <class Call>
    void expect_served(Facts facts, std::size_t message, std::size_t wire);

    /// The call returns before it has ended.
    static bool is_under_way();

    /// Elements of the whole message, of all blocks where there is one a rank.
    std::int64_t elements(Facts facts) const;

    /// Expects that slots or rows are equal.
    template <class Arguments>
    void expect_equal(const char* what, const Arguments& got, const Arguments& expected)
    {
        if (got.memory() == expected.memory() || !fault_.empty()) return;
        explain(what, size_of(got.kind()), {got.packed(), got.memory()},
                {expected.packed(), expected.memory()});
    }
    void expect(bool holds, const std::string& otherwise);

    /// Takes the fault found by a trial of the same case on a communicator that is made of this one's.
    void take(const Trial& other)
    {
        expect(other.fault_.empty(), other.fault_);
        served_as_asked_ = other.served_as_asked_;
    }

    /// The fault; empty if there is none.
    const std::string& fault() const { return fault_; }
    bool served_as_asked() const { return served_as_asked_; }

private:
    struct Content {
        Bytes data;
        const Memory& memory;
    };
    /// Says how they differ; `size`: bytes of an element.
    void explain(const char* what, std::size_t size, const Content& got, const Content& expected);
    void come_late() const;

    const Case& case_;
    MPI_Comm comm_;
    int rank_ = 0;
    int size_ = 0;
    std::string fault_;
    bool served_as_asked_ = false;
};

/// A collective, as the tests know it. Adding one is adding one file that defines one of these.
struct Collective {
    const char* name;
    bool rooted = false;
    bool reduces = false;
    bool in_place = false;
    bool mixed_in_place = false;      ///< each rank may decide on it for itself
    bool blocks = false;              ///< there is a block of `count` elements a rank
    std::vector<Places> places = {};  ///< places of blocks with lengths of their own
    bool data = true;
    std::vector<std::string_view> (*algorithms)();
    void (*run)(Trial& trial);

    static const std::vector<Collective>& all() { return list(); }

    struct Register {
        Register(const Collective& collective) { list().push_back(collective); }
    };

private:
    static std::vector<Collective>& list()
    {
        static std::vector<Collective> collectives;
        return collectives;
    }
};

/// Names of the registered algorithms of a collective.
template <class Call>
std::vector<std::string_view> algorithms_of()
{
    std::vector<std::string_view> names;
    for (const auto& algorithm : registry::all(collective_of<Call>))
        names.push_back(algorithm.name);
    return names;
}

/// Every case of a collective on so many processes, in the same order everywhere, without algorithm and shape.
std::vector<Case> cases_of(const Collective& collective, int processes);

template <class Call>
void Trial::expect_served(Facts facts, std::size_t message, std::size_t wire)
{
    // Elements may reach into the gaps of their neighbours. Each of up to 8 pieces of memory begins on a cache line.
    constexpr std::size_t slack = 512;

    const Algorithm* serving = nullptr;
    State* state = State::existing(comm_);
    if (const Parts* parts = state && size_ > 1 ? state->parts() : nullptr) {
        const auto& began_on = calling().began_on;
        const Layout* const on = began_on ? began_on.get() : &parts->layout();
        const Shape& shape = *case_.shape;
        expect(on->nodes() == shape.nodes() && on->consecutive() == shape.consecutive() &&
                   on->equal_nodes() == shape.regular(),
               "the decomposition does not fit the nodes");
        if (facts.count > 0)
            serving = registry::eligible(registry::find(collective_of<Call>, case_.algorithm),
                                         facts, *on);
    } else {
        expect(size_ == 1, "the communicator has not been decomposed");
    }
    const std::string name = serving ? serving->name : "native";
    served_as_asked_ = name == case_.algorithm;
    expect(name == laneway_served_by(comm_),
           "served by " + std::string(laneway_served_by(comm_)) + " instead of " + name);

    // Components take memory of their own: those that are chosen, and ours of messages that are short by their data.
    // In memory, elements of a reduction have gaps.
    if (std::getenv("LANEWAY_ALGORITHM")) return;
    const std::size_t data = static_cast<std::size_t>(facts.count) * size_of(case_.form->kind);
    const std::size_t gaps = case_.collective->reduces && data > 0 ? message / data + 1 : 1;
    const std::size_t components =
        serving && !serving->flat
            ? static_cast<std::size_t>(plain::short_bytes * std::max(size_, ours::radix)) * gaps
            : 0;
    // In a program they are ours, however long. There a process of one takes the messages of some others at once, and
    // has one for what becomes of them (a prefix). They are ours as well where messages must stay whole.
    const bool all_ours =
        serving && !serving->flat && (serving->concurrent || is_under_way() || keeps_whole(case_));
    const std::size_t taken_in = all_ours ? ours::radix * message : 0;
    const double copies =
        serving ? serving->memory.copies(state->parts()->layout(), elements(facts)) : 0;
    const auto by_processes =
        serving ? static_cast<double>(serving->memory.bytes_a_process * size_) : 0;
    const double bound = copies * static_cast<double>(message) + by_processes;
    expect(
        Scratch::peak() <= static_cast<std::size_t>(bound) + wire + slack + components + taken_in,
        "took " + std::to_string(Scratch::peak()) + " bytes of temporary memory");
}

}  // namespace laneway::property
