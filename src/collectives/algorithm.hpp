// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <limits>
#include <source_location>
#include <string>
#include <string_view>
#include <vector>

#include "collectives/calls.hpp"
#include "collectives/memory.hpp"
#include "collectives/tunables.hpp"
#include "layout/layout.hpp"

/// The contract of an algorithm: a function, what it requires, what it costs. An algorithm is one
/// file, src/algorithms/<collective>/<name>.cpp, that defines the function and one `Register`.
namespace laneway {

class Decomposition;

/// What must hold of a call and its communicator for an algorithm to be eligible. Checked before it
/// runs, from facts that are equal on all ranks.
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
    /// There are several elements to share out, one a lane at least. What ignores the length that it is
    /// called with, as the operators of ScaLAPACK's BLACS for a single element do, must not meet an
    /// empty share.
    bool shares = false;
    /// The operator may be called with parts of the message. Algorithms that do not ask for it keep messages whole,
    /// theirs and those of their components: of operators of the user's they cut no segments either.
    bool elementwise = false;

    bool hold(const Facts& facts, const Layout& on) const { return unmet(facts, on) == Requires{}; }

    /// Those of the requirements that do not hold.
    Requires unmet(const Facts& facts, const Layout& on) const;

    bool operator==(const Requires&) const = default;

    /// In words, for the documentation.
    std::string text() const;
};

/// For the documentation. N nodes of n processes, p = N n; a message of m bytes (where
/// there is a block a rank: p blocks of m bytes); costs under best known component collectives, log to base 2 rounded up.
struct About {
    const char* idea;
    const char* rounds;  ///< communication rounds
    const char* volume;  ///< bytes sent or received by a process; by a node
    const char* memory;  ///< temporary memory of a process
    const char* source;
};

/// The function of an algorithm; one that has no tunables need not take them.
template <class Call>
class Run {
public:
    using Plain = void (*)(const Call& call, const Decomposition& on);
    using Tuned = void (*)(const Call& call, const Decomposition& on, const Tunables& tunables);

    Run(Plain function) : plain_(function) {}
    Run(Tuned function) : tuned_(function) {}

    void operator()(const Call& call, const Decomposition& on, const Tunables& tunables) const
    {
        if (tuned_)
            tuned_(call, on, tunables);
        else
            plain_(call, on);
    }

private:
    Plain plain_ = nullptr;
    Tuned tuned_ = nullptr;
};

/// Some component is the library's whatever the bytes; none ever is.
inline constexpr std::int64_t own_never = -1, own_always = std::numeric_limits<std::int64_t>::max();

template <class Call>
struct Algorithm {
    Run<Call> run;
    Requires needs = {};
    /// The algorithm that serves where `needs` do not hold; null: native.
    const char* otherwise = nullptr;
    /// It looks at the communicator as a whole and its layout alone: as a component it needs no communicators of
    /// its own. (So does what serves otherwise.)
    bool flat = false;
    /// Parts of it run beside each other (decomposition/segmented.hpp): it is recorded before it is carried out.
    /// Not where it is flat: a component is part of another text, whose tags its parts would share.
    bool concurrent = false;
    /// Up to so many bytes all of its components are ours (own/plain.hpp), so parts need no communicators for
    /// the library's.
    std::int64_t own_up_to = own_never;
    /// Bound on a process's temporary memory; the tests prove it.
    Memory memory = {};
    /// What it can be tuned by; the values come as the third argument of `run`.
    std::vector<Tunable> tunables = {};
    About about;
    /// Registry name: the stem of the file that registers it.
    std::string name = {};
    /// The presets of its tunables.
    Tunables presets = {};

    /// Components may be the library's own collectives.
    bool may_call_library(const Facts& facts) const
    {
        return !flat && !concurrent && facts.bytes > own_up_to;
    }
};

template <class Call>
class Registry {
public:
    /// All algorithms but native, by name.
    static const std::vector<Algorithm<Call>>& all() { return list(); }

    /// The algorithm of that name; null for `native` (the MPI library's own) and unknown names.
    static const Algorithm<Call>* find(std::string_view name)
    {
        for (const auto& algorithm : all())
            if (algorithm.name == name) return &algorithm;
        return nullptr;
    }

    /// `algorithm`, or what serves in its stead where its requirements don't hold; null: native.
    static const Algorithm<Call>* eligible(const Algorithm<Call>* algorithm, const Facts& facts,
                                           const Layout& on)
    {
        while (algorithm && !algorithm->needs.hold(facts, on))
            algorithm = algorithm->otherwise ? find(algorithm->otherwise) : nullptr;
        return algorithm;
    }

    static bool knows(std::string_view name) { return name == "native" || find(name); }

    static void add(const Algorithm<Call>& algorithm);

private:
    static std::vector<Algorithm<Call>>& list()
    {
        static std::vector<Algorithm<Call>> algorithms;
        return algorithms;
    }
};

/// Registers an algorithm under the stem of the file it is written in.
template <class Call>
struct Register {
    Register(Algorithm<Call> algorithm,
             const std::source_location& file = std::source_location::current());
};

/// "src/algorithms/bcast/lane.cpp" -> "lane"
std::string_view stem(std::string_view path);

template <class Call>
void Registry<Call>::add(const Algorithm<Call>& algorithm)
{
    auto& algorithms = list();
    auto place = algorithms.begin();
    while (place != algorithms.end() && place->name < algorithm.name) ++place;
    algorithms.insert(place, algorithm);
}

template <class Call>
Register<Call>::Register(Algorithm<Call> algorithm, const std::source_location& file)
{
    algorithm.name = stem(file.file_name());
    algorithm.presets = Tunables(algorithm.tunables);
    Registry<Call>::add(algorithm);
}

/// The registry as a JSON array, native included (see laneway_registry_json).
std::string registry_json();

}  // namespace laneway
