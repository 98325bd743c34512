// SPDX-License-Identifier: BSD-3-Clause
// Learning which way of serving calls is fastest, with times from a seeded generator.
#include "simulate/learning.hpp"

#include "cases/case.hpp"

namespace laneway::simulate {
namespace {

using cases::Register;

constexpr int classes = 1000;

/// Means over classes of their own seeds.
struct Mean {
    double over_standard = 0, over_best = 0;  ///< times in parts of those ways' own
    double right = 0;  ///< part of classes that the right way serves in the end
    double decided_after = 0;
};

Mean mean_of(const Calls& calls, int count, int right, int repetitions)
{
    Mean mean;
    for (int seed = 1; seed <= repetitions; ++seed) {
        const Learnt found = learn(calls, count, static_cast<std::uint64_t>(seed));
        mean.over_standard += found.total / found.standard / repetitions;
        mean.over_best += found.total / found.best / repetitions;
        mean.right += static_cast<double>(found.leader == right) / repetitions;
        mean.decided_after += static_cast<double>(found.decided_after) / repetitions;
    }
    return mean;
}

const Register equal_ways("ways that are equal are not taken for faster ones", [] {
    for (const double sigma : {0.1, 0.3}) {
        const Calls calls{
            .seconds = {1e-3, 1e-3, 1e-3, 1e-3, 1e-3}, .sigma = sigma, .reduction = 2e-4};
        const Mean soon = mean_of(calls, 200, 0, classes);
        TRUE(soon.over_standard <= 1.03);
        const Mean later = mean_of(calls, 2000, 0, classes);
        TRUE(later.over_standard <= 1.01);
        TRUE(later.right >= 0.99);
    }
});

const Register equal_in_bursts("nor are they where calls are under way together", [] {
    for (const int burst : {2, 8}) {
        const Calls calls{.seconds = {1e-3, 1e-3, 1e-3, 1e-3, 1e-3},
                          .sigma = 0.3,
                          .reduction = 2e-4,
                          .burst = burst};
        TRUE(mean_of(calls, 200, 0, classes).over_standard <= 1.03);
        const Mean later = mean_of(calls, 2000, 0, classes);
        TRUE(later.over_standard <= 1.01);
        TRUE(later.right >= 0.99);
    }
});

const Register calls_of_all_sizes("nor are they where calls of one class are of many sizes", [] {
    // As where few processes know the bytes: a call takes from 0.1 to 10 ms.
    const Calls calls{.seconds = {1e-3, 1e-3, 1e-3, 1e-3}, .sigma = 2.3, .reduction = 2e-4};
    const Mean mean = mean_of(calls, 2000, 0, classes);
    TRUE(mean.right >= 0.99);
    TRUE(mean.over_standard <= 1.03);
});

const Register faster_in_bursts("a faster way is found among calls that are under way together",
                                [] {
                                    for (const int burst : {3, 8}) {
                                        const Calls calls{.seconds = {1e-3, 5e-4, 7e-4, 15e-4},
                                                          .sigma = 0.3,
                                                          .burst = burst};
                                        const Mean mean = mean_of(calls, 4000 * burst, 1, 50);
                                        TRUE(mean.right >= 0.99);
                                        TRUE(mean.decided_after <= 120 * burst);
                                    }
                                });

const Register under_way("times of a batch that is over, or of calls under way, do not count", [] {
    Learner learner({.ways = 2, .standard = 0, .seed = 1, .known = false});
    std::vector<Learner::Call> calls;
    for (int call = 0; call < 8; ++call) calls.push_back(learner.begin());
    EQUAL(learner.is_due(), true);
    EQUAL(learner.is_whole(), false);
    learner.took(calls[0], 1e-3);
    EQUAL(learner.is_whole(), true);
    EQUAL(learner.most_under_way(), 8);
    learner.take(learner.own(), 2, {1, 0});
    std::vector<Learner::Call> turns;
    while (!learner.is_due()) turns.push_back(learner.begin());
    EQUAL(turns.size() % 4, std::size_t{0});  // rounds of two ways, two calls each
    EQUAL(turns[0].way, turns[1].way);
    EQUAL(learner.begin().in_race, false);  // beyond the batch
    for (std::size_t call = 1; call < 8; ++call) learner.took(calls[call], 77);
    EQUAL(learner.is_whole(), false);
    for (const Learner::Call& turn : turns) learner.took(turn, 1e-3);
    EQUAL(learner.is_whole(), true);
    for (const double time : learner.own()) EQUAL(time, 1e-3);
});

const Register short_calls("reductions that take as long as a call cost little", [] {
    const Calls calls{.seconds = {1e-4, 1e-4, 1e-4, 1e-4, 1e-4}, .sigma = 0.3, .reduction = 1e-4};
    TRUE(mean_of(calls, 200, 0, classes).over_standard <= 1.05);
    TRUE(mean_of(calls, 2000, 0, classes).over_standard <= 1.01);
});

const Register faster_way("a way that is clearly faster is found", [] {
    for (const double sigma : {0.1, 0.3}) {
        const Mean twice =
            mean_of({.seconds = {1e-3, 5e-4, 7e-4, 15e-4}, .sigma = sigma}, 2000, 1, 200);
        TRUE(twice.right >= 0.99);
        TRUE(twice.over_best <= 1.05);
        TRUE(twice.decided_after <= 120);
        const Mean less =
            mean_of({.seconds = {1e-3, 83e-5, 12e-4, 15e-4}, .sigma = sigma}, 2000, 1, 200);
        TRUE(less.right >= (sigma > 0.2 ? 0.6 : 0.98));
        TRUE(less.over_standard <= 0.91);
    }
});

const Register slower_ways("slower ways leave soon, and never serve in the end", [] {
    const Mean mean = mean_of({.seconds = {1e-3, 2e-3, 2e-3, 2e-3}, .sigma = 0.3}, 2000, 0, 200);
    EQUAL(mean.right >= 1, true);
    TRUE(mean.over_standard <= 1.03);
    TRUE(mean.decided_after <= 70);
});

const Register budget("what learning costs stays within its budget", [] {
    for (const double seconds : {1e-3, 2e-2, 0.3}) {
        const Calls calls{.seconds = {seconds, 2 * seconds, 2.5 * seconds, 1.5 * seconds},
                          .reduction = seconds / 100};
        for (const int count : {20, 100, 500, 2000})
            for (std::uint64_t seed = 1; seed <= 20; ++seed) {
                const Learnt found = learn(calls, count, seed);
                // The first turns of ways that nobody knows, and their noise, may be on top.
                TRUE(found.total - found.standard <=
                     std::max(Budget::seconds, Budget::part * found.total) + 10 * seconds);
            }
    }
});

const Register waits_for_time("calls too long for the budget wait until there is time for them",
                              [] {
                                  const Calls calls{.seconds = {5, 2.5}, .sigma = 0.1};
                                  const Learnt soon = learn(calls, 10, 1);
                                  EQUAL(soon.total, soon.standard);
                                  EQUAL(learn(calls, 2000, 1).leader, 1);
                              });

const Register lane_slows_down("another way serves soon once the leader has become slower", [] {
    // From call 1000 on, the second way takes four times as long.
    const Calls calls{
        .seconds = {1e-3, 5e-4, 6e-4}, .sigma = 0.1, .changed = [](int way, int call) {
            constexpr double before[]{1e-3, 5e-4, 6e-4};
            return before[way] * (way == 1 && call >= 1000 ? 4 : 1);
        }};
    for (std::uint64_t seed = 1; seed <= 50; ++seed) {
        EQUAL(learn(calls, 1000, seed).leader, 1);
        TRUE(learn(calls, 1200, seed).leader != 1);
        EQUAL(learn(calls, 2000, seed).leader, 2);
    }
});

const Register earlier_job("what an earlier job has learnt serves at once, and is checked", [] {
    const Calls calls{.seconds = {1e-3, 2e-3, 5e-4}};
    TRUE(learn(calls, 150, 1, true).total <= learn(calls, 150, 1, true).standard * (1 + 1e-9));
    EQUAL(learn(calls, 1000, 1, true).leader, 2);
});

const Register goes_on("a learner goes on from what another one knows", [] {
    const Learner::Start start{.ways = 3, .standard = 0, .seed = 1, .known = false};
    const auto serve = [](Learner& learner, int calls) {
        constexpr double seconds[]{1e-3, 3e-4, 2e-3};
        for (int call = 0; call < calls; ++call) {
            const Learner::Call begun = learner.begin();
            learner.took(begun, seconds[begun.way]);
            if (learner.is_due()) learner.take(learner.own(), 1, {1, 0});
        }
    };
    Learner first(start);
    serve(first, 30);
    Learner second(start, first.kept());
    EQUAL(second.race().rounds(), first.race().rounds());
    EQUAL(second.leader(), first.leader());
    TRUE(second.kept() == first.kept());
    serve(first, 100);
    serve(second, 100);
    EQUAL(first.leader(), 1);
    EQUAL(second.leader(), 1);
    TRUE(first.kept().front() > second.kept().front() - 10);
    const Learner third(start, first.kept());
    EQUAL(third.is_open(), false);
    EQUAL(third.leader(), 1);
});

const Register alike("learners that see the same times take the same turns", [] {
    const Learner::Start start{.ways = 5, .standard = 2, .seed = 99, .known = false};
    Learner one(start), other(start);
    std::mt19937_64 random(5);
    std::uniform_real_distribution<double> seconds(1e-4, 2e-3);
    for (int call = 0; call < 1500; ++call) {
        const Learner::Call mine = one.begin(), others_call = other.begin();
        EQUAL(mine.way, others_call.way);
        one.took(mine, seconds(random));
        other.took(others_call, seconds(random));
        EQUAL(one.is_due(), other.is_due());
        if (!one.is_due()) continue;
        std::vector<double> all = one.own();
        const std::vector<double> others = other.own();
        for (std::size_t i = 0; i < all.size(); ++i) all[i] = (all[i] + others[i]) / 2;
        const Budget budget{1, 1e-5};
        one.take(all, 1, budget);
        other.take(all, 1, budget);
    }
});

const Register intervals("intervals hold the true ratio", [] {
    std::mt19937_64 random(3);
    std::normal_distribution<double> noise(std::log(1.5), 0.2);
    int outside = 0;
    for (int repetition = 0; repetition < 200; ++repetition) {
        std::vector<double> logs;
        bool was_outside = false;
        for (int round = 0; round < 60; ++round) {
            logs.push_back(noise(random));
            if (round % 10 != 9) continue;
            const Interval found = ratios(logs, 0.05);
            TRUE(found.least < found.most);
            was_outside = was_outside || found.least > 1.5 || found.most < 1.5;
        }
        outside += was_outside;
        const Interval last = ratios(logs, 0.05);
        TRUE(last.most / last.least < 1.6);
    }
    TRUE(outside <= 10);
});

}  // namespace
}  // namespace laneway::simulate
