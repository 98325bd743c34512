// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The MPI library's progress: the work that it does in every call that waits or tests, whatever for.
namespace laneway::progress {

/// Has `work` called in the library's progress from now on, in the threads that call MPI. `work` may call MPI, and
/// returns how much it has moved. It is not called by itself, and throws only what code of the user's throws. Returns
/// false where this library cannot do that (asked by trying).
bool carries_on(int (*work)());

/// A number that changes when messages of the library may have moved since. Code that looks for messages in that work
/// need not look before, and a look that finds nothing costs a look at the network. Where libraries don't tell, the
/// number changes in each turn.
unsigned news();

/// From now on messages of ours go between processes of a machine by the library's own memory. Not all libraries
/// count those as news: there is some every few turns.
void expect_unseen_news();

/// A session has ended, and with the last one what libraries know of us: the library is to be tried again.
void forget();

/// While it lives, the calling thread is in that work. With `yes` false, the thread is not: code of the user's runs,
/// which may wait for what other work moves.
class Inside {
public:
    explicit Inside(bool yes = true) { inside = yes; }
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;
    ~Inside() { inside = before_; }

    static bool is() { return inside; }

private:
    // The flag is looked at in each turn of the library's progress: without a call for its address.
    static inline thread_local bool inside __attribute__((tls_model("initial-exec"))) = false;
    bool before_ = inside;
};

}  // namespace laneway::progress
