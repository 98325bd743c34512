// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The MPI library's progress: what it does in every call that waits or tests, whatever for.
namespace laneway::progress {

/// Has `work` called in it from now on, in the threads that call MPI. `work` may call MPI, returns how much
/// it has moved, is not called by itself, and throws what code of the user's throws alone. False: this library cannot
/// (asked by trying).
bool carries_on(int (*work)());

/// Changes when messages of the library may have moved since: who looks for some in that work need not look before, and a
/// look that finds nothing costs a look at the network. It changes in each turn where libraries don't tell.
unsigned news();

/// From now on messages of ours go between processes of a machine by the library's own memory, which not all libraries
/// count as news: there is some every few turns.
void expect_unseen_news();

/// A session has ended, and with the last one what libraries know of us: it is to be tried again.
void forget();

/// While it lives, the calling thread is in that work; with `yes` false, it is not: code of the user's runs,
/// which may wait for what other work moves.
class Inside {
public:
    explicit Inside(bool yes = true) { inside = yes; }
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;
    ~Inside() { inside = before_; }

    static bool is() { return inside; }

private:
    // Looked at in each turn of the library's progress: without a call for its address.
    static inline thread_local bool inside __attribute__((tls_model("initial-exec"))) = false;
    bool before_ = inside;
};

}  // namespace laneway::progress
