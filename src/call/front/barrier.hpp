// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "call/front/data.hpp"

namespace laneway {

struct BarrierFront {
    using Call = Barrier;
    MPI_Comm comm;

    static constexpr const auto& library = real::Barrier;
    int by(const auto& function, auto... more) const { return function(comm, more...); }
    bool acceptable(Member) const { return true; }
    int without_data(MPI_Comm, Member) const { return MPI_SUCCESS; }
    Question question(Member) const { return {}; }
    std::array<Data, 0> significant(Member) const { return {}; }
    bool is_aliased(Member) const { return false; }
    std::optional<Facts> facts(Member) const { return Facts{.count = 1, .bytes = 0}; }

    struct Wired {
        Wired(const BarrierFront&, const Comm&) {}
        std::array<Packing, 0> packings() const { return {}; }
        Barrier call() const { return {}; }
    };
};

}  // namespace laneway
