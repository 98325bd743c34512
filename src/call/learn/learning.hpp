// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "call/learn/knowledge.hpp"
#include "call/learn/ways.hpp"
#include "choose/settings.hpp"
#include "layout/layout.hpp"
#include "learn/learner.hpp"

namespace laneway {

/// The calls of one class on one communicator. They have in common the collective and its form, the bytes to a factor of
/// 2, and the kind of operator. The way that would serve anyway is the same, too.
struct CallClass {
    std::string name;  ///< see Knowledge
    std::string call;  ///< the beginning of its rule; empty: rules cannot say it
    std::vector<Way> ways;
    Learner learner;
    bool all_meet;           ///< in each of its calls
    bool blocking;           ///< no call of it is under way when another one begins
    std::int64_t scale = 0;  ///< nanoseconds of a call, about; 0: not known yet
    int standard = 0;        ///< the one of the ways that would serve anyway
    std::string why = {};    ///< why the leader serves; empty: it is the standard
    std::mutex mutex = {};   ///< held while the learner is used
    /// @name Where calls may be under way
    /// @{
    std::int64_t asks_at = 0;  ///< meeting at which processes ask whether all have all times
    std::int64_t asks_again_after = 1;  ///< meetings until the next question
    /// @}
};

/// The classes of one communicator. All of its processes do and know alike: see README.md beside this.
class Learning {
public:
    /// Begins with what all know of communicators of that shape. The settings and the layout must outlive it.
    /// Collective.
    Learning(MPI_Comm comm, const Settings& settings, const Shape& shape, const Layout& on);

    /// A call of a class that begins. Its time must follow; where it ends later than the communicator, that is no harm.
    class Turn {
    public:
        Turn(std::shared_ptr<CallClass> its, const Facts& facts, const Layout& on);

        Way way() const { return way_; }
        /// Why that way serves; empty: as it would anyway.
        const std::string& why() const { return why_; }
        void took(double seconds) const;

    private:
        std::shared_ptr<CallClass> its_;
        bool counts_;  ///< as a turn
        Learner::Call call_{};
        Way way_;
        std::string why_;
    };
    /// The turn of a call that has data, or is a barrier, or whose bytes few know. `standard`: what would serve it
    /// anyway. Empty: nothing is learnt of it, since somebody has decided.
    std::optional<Turn> turn(Scope form, Collective collective, const Facts& facts, Way standard,
                             bool all_meet);

    /// A blocking call, from its beginning to its end.
    class Timed {
    public:
        explicit Timed(const Turn& turn) : turn_(turn), began_(PMPI_Wtime()) {}
        Timed(const Timed&) = delete;
        Timed& operator=(const Timed&) = delete;
        ~Timed() { turn_.took(PMPI_Wtime() - began_); }

    private:
        const Turn& turn_;
        double began_;
    };

    /// Brings times together that are due. To be called at the end of a call in which all processes have met.
    /// Collective.
    void bring_together();

private:
    std::shared_ptr<CallClass> made(Scope form, Collective collective, const Facts& facts,
                                    Way standard, bool all_meet) const;
    std::vector<CallClass*> due();
    void keep_whole(std::vector<CallClass*>& due) const;
    void tell(CallClass& its) const;

    MPI_Comm comm_;
    const Settings& settings_;
    Shape shape_;
    const Layout& on_;
    std::string shape_name_;
    Kept kept_;
    /// Form, collective, class of size, kind of operator, and what would serve anyway.
    using Key = std::tuple<Scope, Collective, int, int, Way>;
    std::map<Key, std::shared_ptr<CallClass>> classes_;  ///< null: nothing is learnt
    std::vector<CallClass*> in_order_;                   ///< as their first calls came
    std::int64_t meetings_ = 0;                          ///< calls in which all have met
};

}  // namespace laneway
