// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/front/data.hpp"

namespace laneway {

struct BarrierFront {
    using Call = Barrier;
    MPI_Comm comm;

    int native() const { return real::Barrier(comm); }
    bool acceptable(Member) const { return true; }
    std::optional<Facts> facts(Member) const { return Facts{.count = 1, .bytes = 0}; }

    template <class Serve>
    void in_wire_form(const Comm&, const Serve& serve) const
    {
        serve(Barrier{});
    }
};

}  // namespace laneway
