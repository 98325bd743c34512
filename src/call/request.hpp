// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "call/communicator/state.hpp"
#include "call/told.hpp"
#include "carriers/execution.hpp"
#include "data/held.hpp"
#include "decomposition/perform.hpp"
#include "decomposition/segmented.hpp"

namespace laneway {

/// A nonblocking or persistent operation. The user's request is a receive from oneself, which the end of the
/// program answers. Waiting for it and testing it, alone or among others, is the library's own business.
/// Operations under way are carried on inside the library's progress (library/progress.hpp).
class Request {
public:
    Request(const Request&) = delete;
    Request& operator=(const Request&) = delete;
    virtual ~Request() = default;

    /// Begins an operation; `handle` becomes the user's request. A nonblocking one goes away by itself when
    /// it has ended, a persistent one waits to be started. Throws Error.
    static void begin(std::unique_ptr<Request> request, MPI_Request* handle);

    /// @name The program's calls with requests, ours and others
    /// They return an MPI error code.
    /// @{
    static int start(int count, MPI_Request* handles);
    static int free(MPI_Request* handle);
    static int cancel(MPI_Request* handle);
    /// @}

    /// Whether there can be requests of ours: the library carries them on, and the program's calls of those
    /// functions come to us. (They do not where Laneway was linked after the MPI library.)
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
    /// A piece of work to carry out: see Execution.
    struct Work {
        std::shared_ptr<const Program> program;
        std::vector<void*> buffers;
        std::vector<const Wire*> wires;
        MPI_Op op = MPI_OP_NULL;
    };
    /// Sets the work to carry out. Takes its tags, and `tags_after` for the work after it. Throws NoTags.
    void carry(Work work, const Decomposition& on, int tags_after = 0);
    /// The work after that, found when it is over; none: there is no more.
    virtual std::optional<Work> next_work() { return std::nullopt; }

private:
    static int carry_on();
    void start();
    bool has_ended();
    bool goes_on();
    void begin_work(Work work, int first_tag);
    void answer() const;
    void expect_error() const;

    State::Hold hold_;
    MPI_Comm user_;
    const Comm& world_;
    bool persistent_;
    std::vector<Held<Type>> types_;
    std::optional<Held<Operator>> op_;
    std::shared_ptr<const Program> program_;
    int first_tag_after_ = 0;
    std::optional<Programs::InUse> tags_;  ///< tags of a nonblocking operation
    std::optional<Execution> execution_;
    bool begun_ = false;  ///< not before its tags are free
    int answer_tag_ = 0;
    MPI_Request handle_ = MPI_REQUEST_NULL;
    bool active_ = false;
};

/// An operation without data: there is nothing to do.
class EmptyRequest final : public Request {
public:
    EmptyRequest(State& state, MPI_Comm user, const Decomposition& on, bool persistent)
        : Request(state, user, on.world, persistent)
    {
        carry({std::make_shared<const Program>(), {}, {}}, on);
    }
};

template <class Front>
class RequestOf final : public Request {
    using Call = Front::Call;

public:
    /// `algorithm` is eligible. The processes of a node tell each other lengths now if the operation is persistent,
    /// else as its first work. Throws Error.
    RequestOf(State& state, const Front& front, const Algorithm& algorithm,
              const Tunables& tunables, const Decomposition& on, bool persistent)
        : Request(state, front.comm, on.world, persistent),
          algorithm_(algorithm),
          tunables_(tunables),
          on_(on),
          wired_(front, on.world)
    {
        // Rows of vector collectives are in types that are made of the caller's types, and outlive these.
        if constexpr (!is_vector<Call> || reduces<Call>)
            for (const auto& data : front.significant(state.member()))
                if (data.count > 0) hold_type(data.type);
        if constexpr (reduces<Call>) {
            op_ = front.data.op;
            hold_op(op_);
        }
        if constexpr (has_to_be_told<Call>)
            if (const Circle circle = algorithm.tells(tunables); circle.told != Told::nobody)
                telling_.emplace(wired_.lengths(), circle, on);
        if (telling_ && !persistent) {
            carry(telling(), on, tags_at_most());
            return;
        }
        if (telling_) telling_->carry_out();
        take_up_what_is_told();
        const Symbolic<Call> symbolic(wired_.call());
        Packed packed(symbolic, wired_.packings());
        carry({program_of(algorithm, on, tunables, symbolic, packed), symbolic.bases,
               std::move(packed.wires), op_},
              on);
    }

private:
    /// The work by which processes of the node tell each other lengths.
    Work telling() const
    {
        const auto as = [](Buffer data, std::size_t base) {
            data.data = symbolic::address(base);
            return data;
        };
        const Buffer own = telling_->own(), all = telling_->all();
        Recorder recorder(on_.world, 2, on_.tags());
        telling_->exchange(as(own, 0), as(all, 1));
        return {std::make_shared<const Program>(recorder.take()),
                {own.data, all.data},
                {},
                telling_->op()};
    }

    /// Tags of the program that is not known yet.
    int tags_at_most() const
    {
        std::int64_t ahead = 0;
        for (const auto& [name, value] : tunables_.all())
            if (std::string_view(name) == ahead_tunable.name) ahead = value;
        return static_cast<int>(on_.tags() * (1 + ahead) + 1);
    }

    /// Runs in the library's progress, maybe in another thread: programs kept on the communicator are not looked at.
    std::optional<Work> next_work() override
    {
        if (!telling_) return std::nullopt;
        take_up_what_is_told();
        const Symbolic<Call> symbolic(wired_.call());
        Packed packed(symbolic, wired_.packings());
        auto program = std::make_shared<Program>(recorded(algorithm_, on_, tunables_, symbolic));
        Footprints types;
        add_packing(*program, packed.data, types);
        return Work{std::move(program), symbolic.bases, std::move(packed.wires), op_};
    }

    void take_up_what_is_told()
    {
        if constexpr (has_to_be_told<Call>)
            if (telling_) hear(wired_, *telling_);
        telling_.reset();
    }

    const Algorithm& algorithm_;
    const Tunables tunables_;
    const Decomposition on_;
    Front::Wired wired_;
    MPI_Op op_ = MPI_OP_NULL;
    std::optional<Telling> telling_;  ///< until the telling is over
};

}  // namespace laneway
