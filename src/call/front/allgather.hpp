// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "call/front/row.hpp"

namespace laneway {

struct AllgatherFront {
    using Call = Allgather;
    Data mine;
    Data whole;
    MPI_Comm comm;

    static constexpr const auto& library = real::Allgather;
    int by(const auto& function, auto... more) const
    {
        return function(mine.address, mine.count, mine.type, const_cast<void*>(whole.address),
                        whole.count, whole.type, comm, more...);
    }

    bool acceptable(Member) const { return mine.acceptable_or_in_place() && whole.acceptable(); }

    int without_data(MPI_Comm alone, Member) const
    {
        return AllgatherFront{empty(mine, &nowhere[0]), empty(whole, &nowhere[1]), alone}.by(
            library);
    }
    Question question(Member) const { return asked_of(mine, whole); }
    std::array<Data, 2> significant(Member) const
    {
        return {mine.in_place() ? no_data : mine, whole};
    }
    bool is_aliased(Member me) const
    {
        return reports_one_buffer<Call>() && is_own_block(mine, whole, me.rank);
    }

    std::optional<Facts> facts(Member me) const { return moved(whole.bytes(), me.size); }

    class Wired {
    public:
        Wired(const AllgatherFront& front, const Comm& world)
            : row_(&front.whole, front.mine, front.whole.bytes(), world)
        {
        }
        auto packings() const { return row_.mine_to_whole(); }
        Allgather call() const { return {row_.mine(), row_.whole()}; }

    private:
        Row row_;
    };
};

}  // namespace laneway
