// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "choose/rules.hpp"
#include "layout/layout.hpp"
#include "providers/described.hpp"

namespace laneway::simulate {

/// A native profile: rules that say which of our algorithms does what a library's own does.
struct LibraryRules {
    std::string family;  ///< the family whose quirks it has: `MPICH`, by its header
    Rules calls;
    Rules
        vectors;  ///< for scatterv, gatherv, allgatherv, reduce_scatter: rules of the regular ones
};

/// The rules in a profile. Throws Misunderstood, naming file and line, where it is none.
LibraryRules rules_of_library(const std::string& path);

/// An MPI library by its profile. The rules for calls decide on whatever communicator: the one that the user calls
/// on, nodes and lanes alike.
class LibraryByRules final : public DescribedLibrary {
public:
    /// `rules` and `world` must outlive it.
    LibraryByRules(const LibraryRules& rules, const std::shared_ptr<const Layout>& world);

    void serve(const AnyCall& call, const Comm& comm) const override;
    bool slow_in_pairs() const override { return slow_in_pairs_; }

    /// The rules that have decided, as "file:line".
    const std::set<std::string>& decided() const { return decided_; }

    /// The algorithm that has served the first call: `chain(segment=8192)`; empty: there was none.
    const std::string& served_by() const { return served_by_; }

private:
    struct Selectors {
        Selector calls, vectors;
    };

    template <class Vector>
    void serve_vector(const Vector& call, const Comm& comm) const;
    template <class Call>
    bool serve_by_name(const Call& call, const Comm& comm, const Choice& choice) const;
    template <class Call>
    void serve_regular(const Call& call, const Comm& comm, bool is_vector) const;
    const Rule* rule(Collective collective, std::int64_t bytes, const Comm& comm,
                     bool is_vector) const;
    const Choice& choice(Collective collective, std::int64_t bytes, const Comm& comm,
                         bool is_vector) const;
    const Selectors& selectors(const Comm& comm) const;
    Mapping mapping(const Comm& comm) const;
    bool is_world(const Comm& comm) const { return comm.context() == 0; }

    const LibraryRules& rules_;
    const std::shared_ptr<const Layout>& world_;
    bool slow_in_pairs_;
    mutable std::map<std::pair<int, bool>, Selectors>
        selectors_;  ///< selectors by size, and whether within a node
    mutable std::set<std::string> decided_;
    mutable std::string served_by_;
};

}  // namespace laneway::simulate
