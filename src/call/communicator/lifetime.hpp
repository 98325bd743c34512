// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <atomic>
#include <functional>
#include <memory>

#include "call/communicator/entrance.hpp"

namespace laneway {

/// An object of ours that belongs to a communicator of the user's: an attribute of it, and nowhere else (a freed handle
/// is used again). MPI_Comm_dup does not copy it. It ends when the communicator has been freed and nothing of ours uses
/// it any more. Then it frees communicators, which is not done in the middle of whatever, but in one of the next calls.
class Lifetime {
public:
    /// The lifetime of `comm`; null: there is none, or `comm` ends. Local.
    static Lifetime* of(MPI_Comm comm);
    /// `its` becomes the lifetime of `comm`, which does not end.
    static void begin(std::unique_ptr<Lifetime> its, MPI_Comm comm);
    /// Whether the program is freeing `comm`, or has freed it: callbacks of its attributes may still use it, but
    /// nothing of ours begins on it. Its handle is another communicator's next. Local.
    static bool ends(MPI_Comm comm);

    /// Keeps the lifetime where the communicator is freed while an operation of ours is under way.
    class Hold {
    public:
        explicit Hold(Lifetime& its) : its_(its) { ++its_.holds_; }
        Hold(const Hold&) = delete;
        Hold& operator=(const Hold&) = delete;
        ~Hold() { its_.let_go(); }
        bool is_freed() const { return its_.is_freed_; }
        void leave(bool yes) { its_.is_left_ = yes; }
        std::unique_ptr<Hold> another() const { return std::make_unique<Hold>(its_); }

    private:
        Lifetime& its_;
    };

    /// While this lives, the calling thread frees `comm`, or disconnects it; with an error or by an exception that may
    /// come to nothing.
    class Ending {
    public:
        /// A function of the program's may leave the call by longjmp, which runs no destructor. So the ending is over
        /// where the frame of its function is not found among the callers, as with Entrance.
        [[gnu::always_inline]] explicit Ending(MPI_Comm& comm) : handle_(comm), comm_(comm)
        {
            begin({__builtin_frame_address(0), __builtin_return_address(0)});
        }
        Ending(const Ending&) = delete;
        Ending& operator=(const Ending&) = delete;
        ~Ending();
        static bool is(MPI_Comm comm);

    private:
        void begin(const Entrance::Mark& mark);

        MPI_Comm& handle_;  ///< the library takes it away
        const MPI_Comm comm_;
    };

    /// The communicator is freed.
    void end();

    Lifetime(const Lifetime&) = delete;
    Lifetime& operator=(const Lifetime&) = delete;
    virtual ~Lifetime();

protected:
    Lifetime();

private:
    /// Gives back what only the user's communicator needs.
    virtual void give_back() = 0;
    void let_go();

    std::atomic<int> holds_ = 1;  ///< the communicator's own hold is one
    std::atomic<bool> is_freed_ = false;
    std::atomic<bool> is_left_ =
        false;  ///< by the program, whether the library has freed it by now or not
};

/// Makes sure, once MPI_COMM_SELF is there, that we hear of the end. (Sessions have none.) From then on what is freed
/// is left to the library, in whatever order it is freed; nothing of ours may communicate.
void listen_for_the_end();

/// Ends a session by `finalize`, and returns its MPI error code. Meanwhile the same holds as at the end of MPI.
int end_session(const std::function<int()>& finalize);

}  // namespace laneway
