// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "choose/rules.hpp"
#include "layout/layout.hpp"
#include "own/library.hpp"

namespace laneway::simulate {

/// A native profile: which of our algorithms does what a library's own does.
struct LibraryRules {
    std::string family;  ///< whose quirks it has: `MPICH`, by the comment `# quirks: MPICH`
    Rules calls;
    Rules
        vectors;  ///< of scatterv, gatherv, allgatherv, reduce_scatter, as rules of the regular collectives
};

/// Throws Misunderstood, naming file and line, where it is none.
LibraryRules rules_of_library(const std::string& path);

/// An MPI library by its profile: the rules for calls decide on whatever communicator, the one that the user calls on,
/// nodes and lanes alike.
class Described final : public own::Library {
public:
    /// `rules` and `world` must outlive it.
    Described(const LibraryRules& rules, const std::shared_ptr<const Layout>& world,
              Short short_ones);

    void bcast(const Buffer& data, int root, const Comm& comm) const override;
    void reduce(const Buffer& input, const Buffer& result, MPI_Op op, int root,
                const Comm& comm) const override;
    void scatter(const Buffer& whole, const Buffer& mine, int root,
                 const Comm& comm) const override;
    void gather(const Buffer& mine, const Buffer& whole, int root, const Comm& comm) const override;
    void barrier(const Comm& comm) const override;
    void allgather(const Buffer& mine, const Buffer& whole, const Comm& comm) const override;
    void alltoall(const Buffer& input, const Buffer& result, const Comm& comm) const override;
    void allreduce(const Buffer& input, const Buffer& result, MPI_Op op,
                   const Comm& comm) const override;
    void reduce_scatter_block(const Buffer& input, const Buffer& result, MPI_Op op,
                              const Comm& comm) const override;
    void scan(const Buffer& input, const Buffer& result, MPI_Op op,
              const Comm& comm) const override;
    void exscan(const Buffer& input, const Buffer& result, MPI_Op op,
                const Comm& comm) const override;

    void scatterv(const Buffer& whole, const Buffer& mine, const Partition& part, int root,
                  const Comm& comm) const override;
    void gatherv(const Buffer& mine, const Buffer& whole, const Partition& part, int root,
                 const Comm& comm) const override;
    void allgatherv(const Buffer& mine, const Buffer& whole, const Partition& part,
                    const Comm& comm) const override;
    void reduce_scatter(const Buffer& input, const Buffer& result, const Partition& part, MPI_Op op,
                        const Comm& comm) const override;

    /// The rules that have decided, as "file:line".
    const std::set<std::string>& decided() const { return decided_; }

    /// What has served the first call: `chain(segment=8192)`; empty: there was none.
    const std::string& served_by() const { return served_by_; }

private:
    enum class Form { regular, vector };
    struct Selectors {
        Selector calls, vectors;
    };

    template <class Call>
    void serve(const Call& call, const Comm& comm, Form form = Form::regular) const;
    template <class Call>
    const Choice<Call>& choice(const Facts& facts, const Comm& comm, Form form) const;
    const Selectors& selectors(const Comm& comm) const;
    Mapping mapping(const Comm& comm) const;
    bool is_world(const Comm& comm) const { return comm.context() == 0; }

    const LibraryRules& rules_;
    const std::shared_ptr<const Layout>& world_;
    mutable std::map<std::pair<int, bool>, Selectors>
        selectors_;  ///< by size, and whether within a node
    mutable std::set<std::string> decided_;
    mutable std::string served_by_;
};

}  // namespace laneway::simulate
