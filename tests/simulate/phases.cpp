// SPDX-License-Identifier: BSD-3-Clause
// How processes share out a message, and who acts for whom.
#include "patterns/phases.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

#include "cases/case.hpp"
#include "patterns/fold.hpp"

namespace laneway::simulate {
namespace {

using cases::Register;

/// The part that a process has in the end: places are digits, the first the highest.
int part_of(const Phases& phases, std::size_t count)
{
    int part = 0;
    for (std::size_t phase = 0; phase < count; ++phase)
        part = part * phases[phase].size() + phases[phase].place;
    return part;
}

/// Groups are the same for their members, which have taken over the same before, and everyone has a part.
void share_out(const std::function<Phases(int process)>& phases_of, int size)
{
    std::vector<Phases> all;
    for (int process = 0; process < size; ++process) all.push_back(phases_of(process));
    std::vector<bool> taken(all.size(), false);
    for (int process = 0; process < size; ++process) {
        const Phases& own = all[static_cast<std::size_t>(process)];
        for (std::size_t phase = 0; phase < own.size(); ++phase) {
            EQUAL(own[phase].member(own[phase].place), process);
            for (int place = 0; place < own[phase].size(); ++place) {
                const Phases& other = all[static_cast<std::size_t>(own[phase].member(place))];
                TRUE(other[phase].members == own[phase].members);
                EQUAL(other[phase].place, place);
                EQUAL(part_of(other, phase), part_of(own, phase));
            }
        }
        const auto part = static_cast<std::size_t>(part_of(own, own.size()));
        TRUE(part < taken.size() && !taken[part]);
        taken[part] = true;
    }
}

const Register cubes("phases of a cube share out a message, near or far ones first", [] {
    for (int size = 1; size <= 400; ++size) {
        for (const auto& factors : {prime_factors(size), few_factors(size, 4)}) {
            EQUAL(product(factors), size);
            share_out([&](int process) { return near_first(process, factors); }, size);
            share_out([&](int process) { return far_first(process, factors); }, size);
            for (int process = 0; process < size; ++process) {
                const Phases far = far_first(process, factors);
                EQUAL(part_of(far, far.size()), process);
            }
        }
    }
});

const Register few("few factors are those up to the radix, and primes", [] {
    TRUE((few_factors(1, 4) == Factors{}));
    TRUE((few_factors(4, 4) == Factors{4}));
    TRUE((few_factors(6, 4) == Factors{3, 2}));
    TRUE((few_factors(8, 4) == Factors{4, 2}));
    TRUE((few_factors(36, 4) == Factors{4, 3, 3}));
    TRUE((few_factors(44, 4) == Factors{4, 11}));
    TRUE(few_factors(16, 2) == prime_factors(16));
});

const Register rows("near ones first, groups have the operands of a row of neighbours", [] {
    for (const auto& factors : {Factors{2, 2, 2}, Factors{3, 4, 2}, Factors{5, 2, 2, 3}})
        for (int process = 0; process < product(factors); ++process) {
            int row = 1;  // neighbours that have the same, from a multiple of their number on
            for (const Group& group : near_first(process, factors)) {
                for (int place = 0; place < group.size(); ++place)
                    EQUAL(group.member(place) / row,
                          process / (row * group.size()) * group.size() + place);
                row *= group.size();
            }
        }
});

const Register mirror("near ones first, parts are mirrored numbers", [] {
    for (int size = 1; size <= 4096; size *= 2) {
        const auto factors = prime_factors(size);
        for (int process = 0; process < size; ++process) {
            const Phases phases = near_first(process, factors);
            EQUAL(mirrored(part_of(phases, phases.size()), size), process);
        }
    }
});

const Register swings("Swing shares out a message over growing distances to both sides", [] {
    for (int size = 1; size <= 4096; size *= 2)
        share_out([&](int process) { return swing(process, size); }, size);
    const auto peers = [](int process) {
        std::vector<int> all;
        for (const Group& group : swing(process, 16)) all.push_back(group.member(1 - group.place));
        return all;
    };
    TRUE((peers(0) == std::vector{1, 15, 3, 11}));
    TRUE((peers(5) == std::vector{4, 6, 2, 10}));
});

const Register radices("factors of a radix leave over less than they reach", [] {
    for (int size = 1; size <= 4096; ++size)
        for (const int radix : {2, 3, 4, 8, 64}) {
            const auto factors = radix_factors(size, radix);
            const int reached = product(factors);
            TRUE(reached <= size && size - reached < reached);
            TRUE(std::ranges::all_of(factors, [&](int one) { return 1 < one && one <= radix; }));
            if (factors.empty()) continue;
            // One more of the last factor would be too many.
            const int last = factors.back();
            TRUE(reached / last * (last + 1) > size || last == radix);
        }
});

const Register folds("neighbours act as one, by the first of them", [] {
    for (int size = 1; size <= 4096; ++size) {
        const Fold fold = onto_cube(size);
        int acting = 0;
        for (int position = 0; position < size; ++position) {
            const int actor = fold.actor_of(position);
            TRUE(fold.position_of(actor) <= position && position < fold.position_of(actor + 1));
            acting += fold.acts(position);
            EQUAL(fold.position_of(actor + 1) - fold.position_of(actor), 1 + fold.paired(position));
            if (!fold.paired(position)) continue;
            const int partner = Fold::partner(position);
            EQUAL(fold.actor_of(partner), actor);
            TRUE(fold.acts(position) != fold.acts(partner));
        }
        EQUAL(acting, fold.actors());
        EQUAL(fold.position_of(fold.actors()), size);
    }
});

}  // namespace
}  // namespace laneway::simulate
