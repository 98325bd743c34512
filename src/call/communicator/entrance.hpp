// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace laneway {

/// Functions on the stack.
struct Marks {
    /// The function that an entrance stands in, while it runs.
    struct Mark {
        const void* frame;
        const void* returns_to;
    };

    /// Whether `mark` is that of a caller of the function whose frame is `from`.
    static bool runs(const Mark& mark, const void* from);
};

/// A collective that the calling thread makes inside another is not the application's. The MPI library makes it,
/// or an operator of the user's: it goes to the library, whatever way it came.
///
/// The outer one need not end: an error handler or an operator of the user's may leave it by longjmp,
/// which runs no destructor. A mark left behind must not make the thread's later calls native, which
/// its peers serve otherwise. So a call is inside another only where the frame of the outer one is found
/// among its callers.
///
/// Fibres (coroutines and user-level threads with stacks of their own) may change in the middle of a
/// collective. Each call is judged by the stack that it is on, where another fibre's outer call is not
/// found. Only the latest of several outer calls under way is marked. Calls that the library makes inside another one
/// may then be served as if they were the application's. This is alike on all ranks, for which the library makes
/// the same calls.
///
/// `Of`: whose entrances these are.
template <class Of>
class EntranceOf : public Marks {
public:
    [[gnu::always_inline]] EntranceOf()
        : mine_{__builtin_frame_address(0), __builtin_return_address(0)},
          outermost_(!marked.frame || !runs(marked, mine_.frame))
    {
        if (outermost_) marked = mine_;
    }
    EntranceOf(const EntranceOf&) = delete;
    EntranceOf& operator=(const EntranceOf&) = delete;
    ~EntranceOf()
    {
        if (outermost_ && marked.frame == mine_.frame) marked = {};
    }
    bool outermost() const { return outermost_; }

private:
    // Looked at in every call, as Recording's: without a call for its address.
    static inline thread_local Mark marked __attribute__((tls_model("initial-exec"))){};
    Mark mine_;
    bool outermost_;
};

using Entrance = EntranceOf<struct Collectives>;

}  // namespace laneway
