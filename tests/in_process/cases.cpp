// SPDX-License-Identifier: BSD-3-Clause
#include "cases.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace laneway::in_process {

std::vector<Names> algorithms_of(const Options& options)
{
    auto wanted = algorithms();
    std::erase_if(wanted, [&](const auto& one) {
        return (!options.collective.empty() && one.first != options.collective) ||
               (!options.algorithm.empty() && one.second != options.algorithm) ||
               (options.whole && !reduces_elements(one.first));
    });
    if (wanted.empty()) throw std::invalid_argument("no such algorithm");
    return wanted;
}

namespace {

/// The kinds of elements that a collective takes.
std::vector<const Elements*> kinds_of(std::string_view collective)
{
    const bool reduces = reduces_elements(collective);
    std::vector<const Elements*> result;
    for (const Elements& kind : kinds())
        if (reduces ? kind.op != MPI_OP_NULL : kind.moved) result.push_back(&kind);
    if (collective == "barrier") result.resize(1);
    return result;
}

template <class Values>
auto one_of(const Values& values, Random& random)
{
    return values[random.below(static_cast<std::uint32_t>(values.size()))];
}

/// Several segments, even of few elements.
constexpr std::int64_t segment = 64;

/// Draws all that is left to chance.
void draw(Case& now, Random& random)
{
    const int ranks = now.machine->ranks();
    const auto node = static_cast<std::int64_t>(now.machine->layout->members(0).size());
    // As many elements of a block are enough as make several segments.
    const std::int64_t counts[] = {1, 2, 3, 5, node, node + 1, 2 * node - 1, 33, 3 * node, 100};
    constexpr std::uint32_t of_a_block = 8;
    now.count = counts[random.below(has_blocks(now.collective) ? of_a_block : std::size(counts))];
    // Now and then segments that are no longer sent as a whole to all processes.
    const bool is_long = !has_blocks(now.collective) && ranks <= 16 && random.below(8) == 0;
    if (is_long) now.count = 1000 + random.below(500);
    // A message an element and rank is enough where there are many.
    constexpr int many = 64;
    if (ranks > many) now.count = 1 + random.below(3);
    now.root = static_cast<int>(random.below(static_cast<std::uint32_t>(ranks)));
    now.in_place = random.below(3) == 0 && !is_never_in_place(now.collective);
    now.saves_bytes = random.below(2) == 0;
    now.seed = random();
    now.layout = has_lengths(now.collective) ? static_cast<int>(random.below(Case::layouts)) : 0;
    now.tunables = {{"segment", is_long ? 2400 : segment},
                    {"ahead", 1 + random.below(4)},
                    {"leaders", random.below(4)},
                    {"back", random.below(2)},
                    {"whole", random.below(2) == 0 ? 0 : 2048},
                    {"around", random.below(2) == 0 ? 0 : 12500},
                    {"straight", random.below(2) == 0 ? 0 : 1 + random.below(2048)},
                    {"order", random.below(3)},
                    {"radix", 2 + random.below(4)},
                    {"window", 1 + random.below(3)},
                    {"x", 1 + random.below(4)},
                    {"y", 1 + random.below(4)},
                    {"z", 1 + random.below(4)},
                    {"longest", random.below(2) == 0 ? 256 : 1 + random.below(128)}};
}

void draw_cases(const Options& options, const std::function<bool(long, const Case&)>& visit)
{
    const auto wanted = algorithms_of(options);
    const auto all = static_cast<long>(wanted.size());
    const int sizes = options.most - options.least + 1;
    std::vector<std::vector<const Elements*>> kinds;
    for (const auto& [collective, algorithm] : wanted) kinds.push_back(kinds_of(collective));

    const long first = options.only.value_or(0);
    const long cases = options.machines > 0 ? options.machines * all : options.cases;
    const long end = options.only ? first + 1 : cases;
    for (long at = first / all; at * all < end; ++at) {
        const int ranks = options.least + static_cast<int>(at % sizes);
        Random random((options.seed * 0x100000001b3U + static_cast<std::uint64_t>(at)) *
                          0x100000001b3U +
                      static_cast<std::uint64_t>(ranks));
        const auto machine = draw_machine(ranks, random);
        const std::uint64_t seed = random();
        // Others first on each machine: there may be an end to messages.
        std::vector<std::size_t> order(wanted.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        for (std::size_t left = order.size(); left > 1; --left)
            std::swap(order[left - 1], order[random.below(static_cast<std::uint32_t>(left))]);
        for (long number = std::max(first, at * all); number < std::min(end, (at + 1) * all);
             ++number) {
            const std::size_t one = order[static_cast<std::size_t>(number % all)];
            Random mine(seed + static_cast<std::uint64_t>(number));
            Case now{wanted[one].first,
                     wanted[one].second,
                     machine.get(),
                     nullptr,
                     1,
                     0,
                     false,
                     false,
                     0};
            // Some take only counts that a node's ranks divide, or operators that commute.
            constexpr long attempts = 8;
            for (long attempt = 0; attempt < attempts; ++attempt) {
                const long turn = at / sizes + static_cast<long>(one) + attempt;
                now.kind = kinds[one][static_cast<std::size_t>(turn) % kinds[one].size()];
                draw(now, mine);
                if (!is_eligible(now)) continue;
                if (!visit(number, now)) return;
                break;
            }
        }
    }
}

/// Every value of everything.
bool for_each_on(const Machine& machine, const Names& names,
                 const std::vector<const Elements*>& kinds, std::uint64_t seed,
                 const std::function<bool(const Case&)>& visit)
{
    const auto [collective, algorithm] = names;
    const int roots = has_root(collective) ? machine.ranks() : 1;
    const int places = is_never_in_place(collective) ? 1 : 2;
    const int layouts = has_lengths(collective) ? Case::layouts : 1;
    const auto some = static_cast<std::int64_t>(machine.ranks());
    std::vector<std::int64_t> counts{1, 2, 3, some + 1, 2 * some, 33};
    std::ranges::sort(counts);
    counts.erase(std::ranges::unique(counts).begin(), counts.end());
    if (collective == "barrier") counts.resize(1);
    Random random(seed);
    for (const Elements* const kind : kinds)
        for (const std::int64_t count : counts)
            for (int root = 0; root < roots; ++root)
                for (int place = 0; place < places; ++place) {
                    const std::uint64_t order = random();
                    for (int layout = 0; layout < layouts; ++layout) {
                        const Case now{
                            collective,
                            algorithm,
                            &machine,
                            kind,
                            count,
                            root,
                            place == 1,
                            order % 5 < 2,
                            order,
                            {{"segment", segment},
                             {"ahead", 1 + static_cast<std::int64_t>(order % 3)},
                             {"whole", order % 2 == 0 ? 0 : 2048},
                             {"around", order % 2 == 0 ? 12500 : 0},
                             {"straight", order % 3 == 0 ? 16 : 0},
                             {"leaders", static_cast<std::int64_t>(order % 4)},
                             {"back", static_cast<std::int64_t>(order % 5 % 2)},
                             {"order", static_cast<std::int64_t>(order % 7 % 3)},
                             {"radix", 2 + static_cast<std::int64_t>(order % 4)},
                             {"longest",
                              order % 3 == 0 ? 256 : 1 + static_cast<std::int64_t>(order % 31)},
                             {"window", 1 + static_cast<std::int64_t>(order % 3)}},
                            layout};
                        if (is_eligible(now) && !visit(now)) return false;
                    }
                }
    return true;
}

void all_cases(const Options& options, const std::function<bool(long, const Case&)>& visit)
{
    const auto wanted = algorithms_of(options);
    long number = 0;
    bool goes_on = true;
    for (int ranks = options.least; ranks <= options.most; ++ranks)
        for_each_machine(ranks, [&](const Machine& machine) {
            for (const auto& names : wanted)
                goes_on = goes_on && for_each_on(machine, names, kinds_of(names.first),
                                                 options.seed, [&](const Case& now) {
                                                     const long mine = number++;
                                                     if (options.only && mine != *options.only)
                                                         return true;
                                                     return visit(mine, now);
                                                 });
        });
}

/// The algorithms that serve in the reproducible mode, or that are asked for by name.
std::vector<Reproducible> served(const Options& options)
{
    if (options.algorithm.empty()) return reproducible();
    std::vector<Reproducible> wanted;
    for (const auto& [collective, algorithm] : algorithms_of(options))
        if (reduces_elements(collective)) wanted.push_back({collective, algorithm, {}});
    return wanted;
}

void bracket_cases(const Options& options, const std::function<bool(long, const Case&)>& visit)
{
    std::vector<const Elements*> kinds;
    for (const Elements& kind : bracketed_kinds()) kinds.push_back(&kind);
    const auto wanted = served(options);
    long number = 0;
    bool goes_on = true;
    const auto on = [&](const Machine& machine) {
        for (const auto& [collective, algorithm, tunables] : wanted)
            goes_on = goes_on && for_each_on(machine, {collective, algorithm}, kinds, options.seed,
                                             [&](Case now) {
                                                 const long mine = number++;
                                                 if (options.only && mine != *options.only)
                                                     return true;
                                                 now.tunables = tunables;
                                                 if (now.seed % 2 == 0)
                                                     for (auto& [name, value] : now.tunables)
                                                         if (name == "segment") value = segment;
                                                 return visit(mine, now);
                                             });
    };
    Random random(options.seed);
    for (long machine = 0; machine < options.machines; ++machine) {
        const int sizes = options.most - options.least + 1;
        on(*draw_machine(options.least + static_cast<int>(machine % sizes), random));
    }
    for (int ranks = options.least; options.machines == 0 && ranks <= options.most; ++ranks)
        for_each_machine(ranks, on);
}

}  // namespace

void for_each_case(const Options& options,
                   const std::function<bool(long number, const Case& the_case)>& visit)
{
    if (options.brackets) return bracket_cases(options, visit);
    options.all ? all_cases(options, visit) : draw_cases(options, visit);
}

}  // namespace laneway::in_process
