// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "call/communicator/state.hpp"
#include "carriers/execution.hpp"
#include "data/held.hpp"
#include "decomposition/perform.hpp"

namespace laneway {

/// A nonblocking or persistent operation. The user's request is a receive from oneself, which the end of the
/// program answers: waiting for it and testing it, alone or among others, is the library's own business.
/// What is under way is carried on inside the library's progress (library/progress.hpp).
class Request {
public:
    Request(const Request&) = delete;
    Request& operator=(const Request&) = delete;
    virtual ~Request() = default;

    /// Begins an operation; `handle` becomes the user's request. A nonblocking one goes away by itself when
    /// it has ended, a persistent one waits to be started. Throws Error.
    static void begin(std::unique_ptr<Request> request, MPI_Request* handle);

    /// @name What the program does with requests, ours and others
    /// They return an MPI error code.
    /// @{
    static int start(int count, MPI_Request* handles);
    static int free(MPI_Request* handle);
    static int cancel(MPI_Request* handle);
    /// @}

    /// Whether there can be requests of ours: the library carries them on, and the program's calls of those
    /// functions come to us (where Laneway was linked after the MPI library, they do not).
    static bool are_possible();

protected:
    Request(State& state, MPI_Comm user, const Comm& world, bool persistent)
        : hold_(state),
          user_(user),
          world_(world),
          persistent_(persistent)
    {
    }

    void hold_type(MPI_Datatype type) { types_.emplace_back(type); }
    void hold_op(MPI_Op op) { op_.emplace(op); }
    /// What is to be carried out: see Execution. Takes its tags. Throws NoTags.
    void carry(std::shared_ptr<const Program> program, const std::vector<void*>& buffers,
               std::vector<const Wire*> wires, MPI_Op op, const Decomposition& on);

private:
    static int carry_on();
    void start();
    bool has_ended();
    void answer() const;
    void expect_error() const;

    State::Hold hold_;
    MPI_Comm user_;
    const Comm& world_;
    bool persistent_;
    std::vector<Held<Type>> types_;
    std::optional<Held<Operator>> op_;
    std::shared_ptr<const Program> program_;
    std::optional<Programs::InUse> tags_;  ///< of a nonblocking operation
    std::optional<Execution> execution_;
    bool begun_ = false;  ///< not before its tags are free
    int answer_tag_ = 0;
    MPI_Request handle_ = MPI_REQUEST_NULL;
    bool active_ = false;
};

/// An operation without data: nothing to be done.
class EmptyRequest final : public Request {
public:
    EmptyRequest(State& state, MPI_Comm user, const Decomposition& on, bool persistent)
        : Request(state, user, on.world, persistent)
    {
        carry(std::make_shared<const Program>(), {}, {}, MPI_OP_NULL, on);
    }
};

template <class Front>
class RequestOf final : public Request {
public:
    /// `algorithm` is eligible. Throws Error.
    RequestOf(State& state, const Front& front, const Algorithm& algorithm,
              const Tunables& tunables, const Decomposition& on, bool persistent)
        : Request(state, front.comm, on.world, persistent),
          wired_(front, on.world)
    {
        using Call = Front::Call;
        for (const auto& data : front.significant(state.member()))
            if (data.count > 0) hold_type(data.type);
        const Symbolic<Call> symbolic(wired_.call());
        MPI_Op op = MPI_OP_NULL;
        if constexpr (reduces<Call>) {
            op = front.data.op;
            hold_op(op);
        }
        Packed packed(symbolic, wired_.packings());
        carry(program_of(algorithm, on, tunables, symbolic, packed), symbolic.bases,
              std::move(packed.wires), op, on);
    }

private:
    Front::Wired wired_;
};

}  // namespace laneway
