// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "call/front/data.hpp"

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

    /// Of data with elements MPICH asks more than of data without, and looks at the elements even where a
    /// process is alone: an allgather of none asks the same.
    int without_data(MPI_Comm alone, Member) const
    {
        const Data sent = empty(data, &nowhere[0]);
        if (data.count == 0) return real::Bcast(&nowhere[0], sent.count, sent.type, 0, alone);
        return real::Allgather(sent.address, sent.count, sent.type, static_cast<void*>(&nowhere[1]),
                               sent.count, sent.type, alone);
    }
    std::array<Data, 1> significant(Member) const { return {data}; }
    bool is_aliased(Member) const { return false; }

    std::optional<Facts> facts(Member) const { return moved(data.bytes(), 1); }

    template <class Serve>
    void in_wire_form(const Comm& world, const Serve& serve) const
    {
        // NOLINTNEXTLINE(bugprone-unchecked-optional-access): facts() found one
        Wire wire(data.buffer(), *Unit::dividing(data.bytes(), 1), world);
        if (world.rank() == root) wire.pack();
        serve(Bcast{wire.buffer(), root});
        if (world.rank() != root) wire.unpack();
    }
};

}  // namespace laneway
