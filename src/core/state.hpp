// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <functional>
#include <memory>
#include <optional>

#include "core/decomposition.hpp"
#include "core/member.hpp"

namespace laneway {

/// What Laneway knows of a communicator of the user's: an attribute of it, and nowhere else (a freed
/// handle is used again). Freed with the communicator; not copied by MPI_Comm_dup.
class State {
public:
    /// The state of `comm`; made at its first collective call, where its processes agree on the
    /// settings. Collective then, else local.
    static State& of(MPI_Comm comm);

    /// The state of `comm` if it has one. Local.
    static State* existing(MPI_Comm comm);

    /// The algorithm that the settings choose for a collective; null: native.
    template <class Call>
    const Algorithm<Call>* choice() const
    {
        return decomposable_ ? settings_->choice<Call>(Scope::user) : nullptr;
    }

    /// Nothing but native may serve here.
    bool native_only() const { return !decomposable_ || settings_->off(); }

    /// The calling process in the communicator.
    Member member() const { return member_; }

    /// The decomposition of the communicator; made at the first call that wants one, collectively.
    /// Null, on all ranks and for good, where it cannot be made.
    const Decomposition* decomposition();

    ~State();
    State(const State&) = delete;
    State& operator=(const State&) = delete;

    const char* served_by = "native";  ///< name of the latest call's algorithm, in the registry

private:
    explicit State(MPI_Comm comm);

    MPI_Comm comm_;
    Member member_{};
    bool decomposable_ =
        false;  ///< an intra-communicator of several processes, and not yet tried in vain
    std::shared_ptr<const Settings> settings_;
    std::optional<Comm> world_;
    std::unique_ptr<Decomposition> decomposition_;
};

/// MPI comes to its end: from now on what is freed is left to the library, in whatever order it is
/// freed; nothing of ours may communicate.
void begin_end();

/// A session comes to its end by `finalize`, which returns an MPI error code: the same, meanwhile.
int end_session(const std::function<int()>& finalize);

}  // namespace laneway
