// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "call/learn/knowledge.hpp"
#include "call/learn/ways.hpp"
#include "choose/settings.hpp"
#include "layout/layout.hpp"
#include "learn/learner.hpp"

namespace laneway {

/// The calls of one class on one communicator. They have in common the collective, the bytes to a factor of 2, the kind
/// of operator, and the way that would serve anyway.
struct CallClass {
    std::string name;  ///< see Knowledge
    std::string call;  ///< the beginning of its rule; empty: rules cannot say it
    std::vector<Way> ways;
    Learner learner;
    bool all_meet;           ///< in each of its calls
    std::int64_t scale = 0;  ///< nanoseconds of a call, about; 0: not known yet
    int standard = 0;        ///< the one of the ways that would serve anyway
    std::string why = {};    ///< why the leader serves; empty: it is the standard
};

/// The classes of one communicator. All of its processes do and know alike: see README.md beside this.
class Learning {
public:
    /// Begins with what all know of communicators of that shape. The settings and the layout must outlive it.
    /// Collective.
    Learning(MPI_Comm comm, const Settings& settings, const Shape& shape, const Layout& on);

    /// The class of a call that has data, or is a barrier. Null: nothing is learnt of it, since somebody has decided.
    CallClass* find(Collective collective, const Facts& facts, Way standard, bool all_meet);

    /// A call of a class, from its beginning to its end.
    class Turn {
    public:
        Turn(CallClass& its, const Facts& facts, const Layout& on);
        Turn(const Turn&) = delete;
        Turn& operator=(const Turn&) = delete;
        ~Turn();

        Way way() const { return way_; }
        /// Why that way serves; empty: as it would anyway.
        std::string_view why() const;

    private:
        CallClass& its_;
        bool counts_;  ///< as a turn
        Way way_;
        double began_;
    };
    Turn turn(CallClass& its, const Facts& facts) const { return {its, facts, on_}; }

    /// Brings times together that are due. To be called at the end of a call in which all processes have met.
    /// Collective.
    void bring_together();

private:
    void tell(CallClass& its) const;

    MPI_Comm comm_;
    const Settings& settings_;
    Shape shape_;
    const Layout& on_;
    std::string shape_name_;
    Kept kept_;
    /// Collective, class of size, kind of operator, and what would serve anyway.
    using Key = std::tuple<Collective, int, int, Way>;
    std::map<Key, std::unique_ptr<CallClass>> classes_;  ///< null: nothing is learnt
    std::vector<CallClass*> in_order_;                   ///< as their first calls came
};

}  // namespace laneway
