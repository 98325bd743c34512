// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "call/front/row.hpp"

namespace laneway {

struct AllgatherFront {
    using Call = Allgather;
    Data mine;
    Data whole;
    MPI_Comm comm;

    int native() const
    {
        return real::Allgather(mine.address, mine.count, mine.type,
                               const_cast<void*>(whole.address), whole.count, whole.type, comm);
    }

    bool acceptable(Member) const { return mine.acceptable_or_in_place() && whole.acceptable(); }

    int without_data(MPI_Comm alone, Member) const
    {
        return AllgatherFront{empty(mine, &nowhere[0]), empty(whole, &nowhere[1]), alone}.native();
    }
    std::array<Data, 2> significant(Member) const
    {
        return {mine.in_place() ? no_data : mine, whole};
    }
    bool is_aliased(Member me) const
    {
        return reports_one_buffer<Call> && is_own_block(mine, whole, me.rank);
    }

    std::optional<Facts> facts(Member me) const { return moved(whole.bytes(), me.size); }

    template <class Serve>
    void in_wire_form(const Comm& world, const Serve& serve) const
    {
        Row row(&whole, mine, whole.bytes(), world);
        row.pack_mine();
        serve(Allgather{row.mine(), row.whole()});
        row.unpack_whole();
    }
};

}  // namespace laneway
