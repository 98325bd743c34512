// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <cstdlib>
#include <limits>
#include <optional>
#include <source_location>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "collectives/catalogue.hpp"
#include "collectives/facts.hpp"
#include "collectives/memory.hpp"
#include "collectives/tunables.hpp"
#include "layout/layout.hpp"

/// The contract of an algorithm: a function, what it requires, what it costs. An algorithm is one
/// file, src/algorithms/<collective>/<name>.cpp, that defines the function and one `Register`.
namespace laneway {

class Decomposition;

/// Requirements that a call and its communicator must meet for an algorithm to be eligible. They are checked before
/// it runs, from facts that are equal on all ranks.
struct Requires {
    /// The operator is commutative.
    bool commutative = false;
    /// The operator is commutative, or the ranks of each node are consecutive.
    bool rank_order = false;
    /// Every node has the same number of processes.
    bool regular = false;
    /// Ranks ascend from node to node and on each node.
    bool consecutive = false;
    /// The processes of a node divide the count; implies regular.
    bool divisible = false;
    /// There are several elements to share out, one a lane at least. An operator that ignores the length that it
    /// is called with must not meet an empty share. ScaLAPACK's BLACS has such operators for a single element.
    bool shares = false;
    /// The operator may be called with parts of the message. Algorithms that do not ask for it keep messages whole,
    /// theirs and those of their components. They cut no segments either where the operator is the user's.
    bool elementwise = false;

    bool hold(const Facts& facts, const Layout& on) const { return unmet(facts, on) == Requires{}; }

    /// The requirements that do not hold.
    Requires unmet(const Facts& facts, const Layout& on) const;

    bool operator==(const Requires&) const = default;

    /// The requirements in words, for the documentation.
    std::string text() const;
};

/// Facts for the documentation. There are N nodes of n processes, p = N n. A message has m bytes (where
/// there is a block a rank: p blocks of m bytes). Costs are under best known component collectives, log is to base 2
/// rounded up.
struct About {
    const char* idea;
    const char* rounds;  ///< communication rounds
    const char* volume;  ///< bytes sent or received by a process; by a node
    const char* memory;  ///< temporary memory of a process
    const char* source;
};

/// The function of an algorithm, which takes the struct of one collective; one that has no tunables need not take them.
/// Its type is known where it is registered and where it runs, and nowhere between.
class Run {
    template <class Call>
    using Plain = void (*)(const Call& call, const Decomposition& on);
    template <class Call>
    using Tuned = void (*)(const Call& call, const Decomposition& on, const Tunables& tunables);

public:
    /// None: the library serves.
    Run() = default;
    template <class Call>
    Run(Plain<Call> function)
        : collective_(checked<Call>()),
          plain_(reinterpret_cast<Function*>(function))
    {
    }
    template <class Call>
    Run(Tuned<Call> function)
        : collective_(checked<Call>()),
          tuned_(reinterpret_cast<Function*>(function))
    {
    }

    Collective collective() const { return collective_; }

    template <class Call>
    void operator()(const Call& call, const Decomposition& on, const Tunables& tunables) const
    {
        if (collective_ != checked<Call>()) std::abort();
        if (tuned_)
            reinterpret_cast<Tuned<Call>>(tuned_)(call, on, tunables);
        else
            reinterpret_cast<Plain<Call>>(plain_)(call, on);
    }

private:
    template <class Call>
    static constexpr Collective checked()
    {
        static_assert(collective_of<Call> < collectives);
        return collective_of<Call>;
    }

    using Function = void();
    Collective collective_ = collectives;
    Function* plain_ = nullptr;
    Function* tuned_ = nullptr;
};

/// Values of Algorithm::own_up_to: some component is the library's whatever the bytes; none ever is.
inline constexpr std::int64_t own_never = -1, own_always = std::numeric_limits<std::int64_t>::max();

/// Who is told the lengths of blocks that a process of a vector collective does not know (call/told.hpp).
enum class Told {
    nobody,    ///< each process knows its own lengths, and the root all
    node,      ///< each process knows those of its node
    everyone,  ///< all know all, of a gatherv or scatterv
    longest,   ///< all know that of the longest block, of an alltoallv
    passing,  ///< each knows those of the short blocks that pass it on their way by digits, of an alltoallv
};

/// Who is told lengths in a call. Lengths of blocks that pass by follow from two tunables.
struct Circle {
    Told told;
    std::int64_t radix = 0;    ///< base of the digits
    std::int64_t longest = 0;  ///< bytes of the longest block that goes by them
    bool operator==(const Circle&) const = default;
};

struct Algorithm {
    Run run = {};
    Requires needs = {};
    /// The algorithm that serves where `needs` do not hold; null: native.
    const char* otherwise = nullptr;
    /// It looks at the communicator as a whole and its layout alone: as a component it needs no communicators of
    /// its own. (The algorithm that serves otherwise does the same.)
    bool flat = false;
    /// Who is told the lengths of a vector collective that few know. Unless it is set, nobody where the algorithm is
    /// flat, else each node.
    std::optional<Told> told = {};
    /// Parts of it run beside each other (decomposition/segmented.hpp): it is recorded before it is carried out.
    /// No flat algorithm is concurrent: a component is part of another algorithm, whose tags its parts would share.
    bool concurrent = false;
    /// Up to so many bytes all of its components are ours (providers/plain.hpp), so parts need no communicators for
    /// the library's.
    std::int64_t own_up_to = own_never;
    /// Bound on a process's temporary memory; the tests prove it.
    Memory memory = {};
    /// The numbers that it can be tuned by; their values come as the third argument of `run`.
    std::vector<Tunable> tunables = {};
    About about;
    /// Registry name: the stem of the file that registers it.
    std::string name = {};
    /// The presets of its tunables.
    Tunables presets = {};

    /// `chosen`: the values of its tunables.
    Circle tells(const Tunables& chosen) const
    {
        const Told circle = told.value_or(flat ? Told::nobody : Told::node);
        if (circle != Told::passing) return {circle};
        return {circle, chosen["radix"], chosen["longest"]};
    }
    /// Whether components may be the library's own collectives.
    bool may_call_library(const Facts& facts) const
    {
        return !flat && !concurrent && facts.bytes > own_up_to;
    }
};

/// The algorithms of all collectives.
namespace registry {

/// All algorithms of a collective but native, by name.
const std::vector<Algorithm>& all(Collective collective);

/// The algorithm of that name; null for `native` (the MPI library's own) and unknown names.
const Algorithm* find(Collective collective, std::string_view name);

bool knows(Collective collective, std::string_view name);

/// `algorithm`, or what serves in its stead where its requirements don't hold; null: native.
const Algorithm* eligible(const Algorithm* algorithm, const Facts& facts, const Layout& on);

void add(Algorithm algorithm);

/// The registry as a JSON array, native included (see laneway_registry_json).
std::string json();

}  // namespace registry

/// "src/algorithms/bcast/lane.cpp" -> "lane"
std::string_view stem(std::string_view path);

/// Registers an algorithm of that collective under the stem of the file it is written in.
template <class Call>
struct Register {
    Register(Algorithm algorithm,
             const std::source_location& file = std::source_location::current())
    {
        if (algorithm.run.collective() != collective_of<Call>) std::abort();
        algorithm.name = stem(file.file_name());
        registry::add(std::move(algorithm));
    }
};

}  // namespace laneway
