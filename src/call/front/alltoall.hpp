// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "call/front/data.hpp"

namespace laneway {

struct AlltoallFront {
    using Call = Alltoall;
    Data input;
    Data result;
    MPI_Comm comm;

    int native() const
    {
        return real::Alltoall(input.address, input.count, input.type,
                              const_cast<void*>(result.address), result.count, result.type, comm);
    }

    bool acceptable(Member) const { return input.acceptable_or_in_place() && result.acceptable(); }

    int without_data(MPI_Comm alone, Member) const
    {
        return AlltoallFront{empty(input, &nowhere[0]), empty(result, &nowhere[1]), alone}.native();
    }
    std::array<Data, 2> significant(Member) const
    {
        return {input.in_place() ? no_data : input, result};
    }
    bool is_aliased(Member) const
    {
        return reports_one_buffer<Call> && are_alike(input, result) &&
               input.address == result.address;
    }

    std::optional<Facts> facts(Member me) const { return moved(result.bytes(), copies(me.size)); }

    template <class Serve>
    void in_wire_form(const Comm& world, const Serve& serve) const
    {
        // NOLINTNEXTLINE(bugprone-unchecked-optional-access): facts() found one
        const Unit unit = *Unit::dividing(result.bytes(), copies(world.size()));
        Wire to(result.buffer(world.size()), unit, world);
        std::optional<Wire> from;
        if (!input.in_place()) from.emplace(input.buffer(world.size()), unit, world);
        (from ? *from : to).pack();
        serve(Alltoall{(from ? *from : to).buffer(), to.buffer()});
        to.unpack();
    }

private:
    /// Leaders hold the rows of all processes of their node.
    static std::int64_t copies(int size) { return std::int64_t{size} * size; }
};

}  // namespace laneway
