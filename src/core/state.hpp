// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <functional>
#include <memory>
#include <optional>

#include "core/borrowed_errors.hpp"
#include "core/decomposition.hpp"
#include "core/member.hpp"
#include "core/report.hpp"

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

    /// Why nothing but native may serve here, in words; null: other algorithms may.
    const char* native_because() const { return native_because_; }

    /// What the settings choose for this communicator; null: native, always. Its first call is
    /// collective, as are the conditions for it: a rule that could choose another algorithm.
    const Selector* selector();

    /// The calling process in the communicator.
    Member member() const { return member_; }

    /// The decomposition of the communicator; made at the first call that wants one, collectively.
    /// Null, on all ranks and for good, where it cannot be made.
    Decomposition* decomposition();

    /// Calls are served natively and timed.
    bool advises() const { return settings_ && settings_->advises(); }
    /// What the report says of the communicator; null: no report is wanted.
    const Place* place() const { return place_.get(); }

    /// Some process has an accelerator's runtime: only algorithms that touch the user's memory through
    /// MPI calls alone may serve. Known where there is a decomposition.
    bool devices() const { return devices_; }

    ~State();
    State(const State&) = delete;
    State& operator=(const State&) = delete;

    const char* served_by = "native";  ///< name of the latest call's algorithm, in the registry

private:
    explicit State(MPI_Comm comm);

    void find_nodes_once();
    void find_place();

    MPI_Comm comm_;
    Member member_{};
    const char* native_because_ = nullptr;
    std::shared_ptr<const Settings> settings_;
    bool devices_ = false;
    std::optional<BorrowedErrors> errors_;
    Nodes nodes_;  ///< found by the first call that may be served by another algorithm than native
    std::optional<Selector> selector_;
    std::unique_ptr<Place> place_;
    std::optional<Comm> world_;
    std::unique_ptr<Decomposition> decomposition_;
};

/// MPI comes to its end: from now on what is freed is left to the library, in whatever order it is
/// freed; nothing of ours may communicate.
void begin_end();

/// A session comes to its end by `finalize`, which returns an MPI error code: the same, meanwhile.
int end_session(const std::function<int()>& finalize);

}  // namespace laneway
