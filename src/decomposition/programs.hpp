// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <list>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "library/threads.hpp"
#include "messages/comm.hpp"
#include "schedule/program.hpp"

namespace laneway {

/// There are no tags for an operation, or none left for a persistent one, as all processes find.
class NoTags : public std::exception {
public:
    const char* what() const noexcept override { return "there are no tags left"; }
};

/// What determines the program of a call on one communicator, in numbers; empty: nothing that lasts beyond
/// the call.
using ProgramKey = std::vector<std::int64_t>;

/// The programs that were used last on a communicator, and the tags of those that are carried out there. Dies
/// with the communicator.
class Programs {
public:
    /// Kept of a communicator, and of all of a process together: bytes. What is kept may differ from rank to rank: a
    /// program that is not there is recorded again, without a message.
    static constexpr std::size_t bytes_at_most = 16 << 20;
    static constexpr std::size_t bytes_of_all_at_most = 4 * bytes_at_most;

    Programs() = default;
    ~Programs();
    Programs(const Programs&) = delete;
    Programs& operator=(const Programs&) = delete;

    /// Null: there is none.
    std::shared_ptr<const Program> find(const ProgramKey& key);
    /// Those that were not used for longest give way. One that is too large nevertheless is not kept.
    void keep(ProgramKey key, std::shared_ptr<const Program> program);

    /// Tags of an execution.
    struct Tags {
        int first;
        std::int64_t before;  ///< how many have been given out before them,
        std::int64_t end;     ///< and with them
    };

    /// `count` tags for an execution on `world`, others than those of the executions before it: once all have been
    /// used, which with the least number of tags that MPI allows is after hundreds, they are given out again. Calls
    /// come in the same order on all ranks, so they agree; also where one has called with another length, so that its
    /// program has a few tags more or fewer. Texts that are carried out at once have `tags_of_text` in each turn, below
    /// those of executions. Throws NoTags where the library has too few.
    Tags take_tags(int count, int tags_of_text, const Comm& world);

    /// No earlier execution that is under way here may have any of the tags. Begun no sooner, an execution leaves all
    /// messages between two processes behind those of the earlier one, and each process decides for itself.
    bool are_free(const Tags& tags) const;

    /// Tags that an execution has until it has ended, while others begin.
    class InUse {
    public:
        InUse(Programs& programs, const Tags& tags);
        InUse(const InUse&) = delete;
        InUse& operator=(const InUse&) = delete;
        ~InUse();
        bool are_free() const { return programs_.are_free(tags_); }

    private:
        Programs& programs_;
        Tags tags_;
    };

    /// `count` tags for an execution that starts again and again: no other will ever have them. Throws NoTags
    /// where there are none left.
    int keep_tags(int count, int tags_of_text, const Comm& world);

private:
    struct Kept {
        ProgramKey key;
        std::shared_ptr<const Program> program;
        std::size_t bytes;
    };
    void drop_last();
    void find_tags(int tags_of_text, const Comm& world);

    std::list<Kept> latest_;  ///< latest first
    std::size_t bytes_ = 0;   ///< of them
    // Half of the library's are given out again and again, from the other half each but once.
    std::int64_t given_out_ = 0;
    int half_ = 0;      ///< 0: not asked yet
    int room_ = 0;      ///< below it
    int reserved_ = 0;  ///< below that: of texts
    int alike_ = 0;     ///< that an execution gets at least
    int next_kept_ = 0;
    int tags_ = 0;
    mutable Mutex mutex_;               ///< executions end in any thread
    std::set<std::int64_t> under_way_;  ///< what was given out before those in use
};

}  // namespace laneway
