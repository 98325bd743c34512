// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/front/data.hpp"

namespace laneway {

struct BcastFront {
    using Call = Bcast;
    Data data;
    int root;
    MPI_Comm comm;

    int native() const
    {
        return real::Bcast(const_cast<void*>(data.address), data.count, data.type, root, comm);
    }

    bool acceptable(Member me) const { return data.acceptable() && me.knows(root); }

    std::optional<Facts> facts(Member) const { return moved(data.bytes(), 1); }

    template <class Serve>
    void in_wire_form(const Comm& world, const Serve& serve) const
    {
        Wire wire(data.buffer(), *Unit::dividing(data.bytes(), 1), world.handle());
        if (world.rank() == root) wire.pack();
        serve(Bcast{wire.buffer(), root});
        if (world.rank() != root) wire.unpack();
    }
};

}  // namespace laneway
