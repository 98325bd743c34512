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

/// The facts that determine the program of a call on one communicator, in numbers; empty: they do not last beyond
/// the call.
using ProgramKey = std::vector<std::int64_t>;

/// The programs that were used last on a communicator, and the tags of those that are carried out there. Dies
/// with the communicator.
class Programs {
public:
    /// Bytes of the programs that are kept for a communicator, and for all communicators of a process together. The
    /// kept programs may differ from rank to rank: a program that is not there is recorded again, without a message.
    static constexpr std::size_t bytes_at_most = 16 << 20;
    static constexpr std::size_t bytes_of_all_at_most = 4 * bytes_at_most;

    Programs() = default;
    ~Programs();
    Programs(const Programs&) = delete;
    Programs& operator=(const Programs&) = delete;

    /// The program that is kept for a key; null: there is none.
    std::shared_ptr<const Program> find(const ProgramKey& key);
    /// Keeps a program. Those that were not used for longest give way. A program that is too large even so is not kept.
    void keep(ProgramKey key, std::shared_ptr<const Program> program);

    /// Tags of an execution.
    struct Tags {
        int first;
        std::int64_t before;  ///< how many tags have been given out before them
        std::int64_t end;     ///< how many tags have been given out with them
    };

    /// Takes `count` tags for an execution on `world`, others than those of the executions before it. Once all have
    /// been used, they are given out again: with the least number of tags that MPI allows, after hundreds of
    /// executions. Calls come in the same order on all ranks, so these agree on tags. They also agree where one rank
    /// has called with another length, so that its program has a few tags more or fewer. Texts that are carried out at
    /// once have `tags_of_text` in each turn, below those of executions. Throws NoTags where the library has too few.
    Tags take_tags(int count, int tags_of_text, const Comm& world);

    /// Whether no earlier execution that is under way here has any of the tags. Begun no sooner, an execution leaves
    /// all messages between two processes behind those of the earlier one. So each process decides for itself.
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

    /// Takes `count` tags for an execution that starts again and again: no other execution will ever have them.
    /// Throws NoTags where there are none left.
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
    std::size_t bytes_ = 0;   ///< bytes of these programs
    // Half of the library's tags are given out again and again, those of the other half once each.
    std::int64_t given_out_ = 0;
    int half_ = 0;      ///< where the second half begins; 0: not asked yet
    int room_ = 0;      ///< tags of executions in the first half
    int reserved_ = 0;  ///< tags of algorithms, below those of executions
    int alike_ = 0;     ///< tags that an execution gets at least
    int next_kept_ = 0;
    int tags_ = 0;
    mutable Mutex mutex_;               ///< executions end in any thread
    std::set<std::int64_t> under_way_;  ///< executions: Tags::before of each
};

}  // namespace laneway
