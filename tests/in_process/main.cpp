// SPDX-License-Identifier: BSD-3-Clause
//
// laneway-prove: property tests of the algorithms without mpirun. Draws cases, each an algorithm on a machine
// of any shape, records what every rank does, carries it out in this process with real data in random order,
// and compares with what the collective must give.
#include <mpi.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <optional>
#include <random>

#include "decomposition/decomposition.hpp"
#include "schedule/recorder.hpp"
#include "trial.hpp"
#include "wrong.hpp"

namespace laneway::in_process {
namespace {

constexpr const char* usage =
    "usage: laneway-prove [option]...\n"
    "  --cases N        so many cases (default: 1000)\n"
    "  --seed S         of the draw (default: 1)\n"
    "  --case I         only case I of the draw\n"
    "  --ranks A B      machines of A to B ranks (default: 1 17)\n"
    "  --collective C   only this collective\n"
    "  --algorithm A    only this algorithm\n"
    "  --with-wrong     deliberately wrong algorithms, too\n";

struct Options {
    long cases = 1000;
    unsigned long seed = 1;
    std::optional<long> only;
    int least = 1, most = 17;
    std::string collective, algorithm;
    bool with_wrong = false;
};

std::optional<Options> read(int argc, char** argv)
{
    Options options;
    for (int i = 1; i < argc; ++i) {
        const std::string_view name = argv[i];
        const auto number = [&] { return i + 1 < argc ? std::strtol(argv[++i], nullptr, 10) : -1; };
        const auto word = [&] { return std::string(i + 1 < argc ? argv[++i] : ""); };
        if (name == "--cases")
            options.cases = number();
        else if (name == "--seed")
            options.seed = static_cast<unsigned long>(number());
        else if (name == "--case")
            options.only = number();
        else if (name == "--ranks") {
            options.least = static_cast<int>(number());
            options.most = static_cast<int>(number());
        } else if (name == "--collective")
            options.collective = word();
        else if (name == "--algorithm")
            options.algorithm = word();
        else if (name == "--with-wrong")
            options.with_wrong = true;
        else
            return std::nullopt;
    }
    if (options.least < 1 || options.most < options.least) return std::nullopt;
    return options;
}

/// A machine: nodes of equal or of any size, ranks in order, dealt out in turn, or in any order.
std::pair<Nodes, std::string> machine(int ranks, std::mt19937_64& random)
{
    const auto below = [&](int end) {
        return static_cast<int>(random() % static_cast<unsigned>(end));
    };
    std::vector<int> sizes;
    std::string name;
    if (below(2) == 0) {
        std::vector<int> divisors;
        for (int size = 1; size <= ranks; ++size)
            if (ranks % size == 0) divisors.push_back(size);
        const int size =
            divisors[static_cast<std::size_t>(below(static_cast<int>(divisors.size())))];
        sizes.assign(static_cast<std::size_t>(ranks / size), size);
    } else {
        for (int left = ranks; left > 0; left -= sizes.back())
            sizes.push_back(1 + below(std::min(left, 1 + ranks / 2)));
    }
    std::vector<int> order(static_cast<std::size_t>(ranks));
    std::iota(order.begin(), order.end(), 0);
    const int mapping = below(4);
    if (mapping == 3) std::ranges::shuffle(order, random);
    Nodes nodes(sizes.size());
    std::size_t node = 0;
    for (const int rank : order) {
        while (static_cast<int>(nodes[node].size()) == sizes[node])
            node = (node + 1) % nodes.size();
        nodes[node].push_back(rank);
        if (mapping == 2) node = (node + 1) % nodes.size();
    }
    for (auto& members : nodes) std::ranges::sort(members);
    std::ranges::sort(nodes);
    for (const int size : sizes) name += (name.empty() ? "" : "+") + std::to_string(size);
    const char* const mappings[] = {"", "", " cyclic", " shuffled"};
    return {nodes, name + mappings[mapping]};
}

template <class Values>
auto one_of(const Values& values, std::mt19937_64& random)
{
    return values[random() % values.size()];
}

Case draw(const Options& options, long number)
{
    std::mt19937_64 random(options.seed * 1000003U + static_cast<unsigned long>(number));
    static const auto all = [&] {
        auto wanted = algorithms();
        std::erase_if(wanted, [&](const auto& one) {
            return (!options.collective.empty() && one.first != options.collective) ||
                   (!options.algorithm.empty() && one.second != options.algorithm);
        });
        return wanted;
    }();
    if (all.empty()) throw std::invalid_argument("no such algorithm");
    const auto [collective, algorithm] = one_of(all, random);
    const int ranks =
        options.least +
        static_cast<int>(random() % static_cast<unsigned>(options.most - options.least + 1));
    auto [nodes, shape] = machine(ranks, random);
    const int node = static_cast<int>(nodes.front().size());
    const int lanes = static_cast<int>(random() % static_cast<unsigned>(node + 3));
    Case result{.collective = collective,
                .algorithm = algorithm,
                .layout = std::make_shared<const Layout>(nodes, lanes),
                .shape = shape + " lanes=" + std::to_string(lanes),
                .kind = nullptr,
                .count = 1,
                .root = static_cast<int>(random() % static_cast<unsigned>(ranks)),
                .in_place = random() % 3 == 0,
                .saves_bytes = random() % 2 == 0,
                .seed = random()};
    const auto& elements = kinds();
    result.kind =
        reduces_elements(collective) ? &elements[random() % elements.size()] : &elements[0];
    const std::vector<int> counts{1, 2, 3, 5, node, node + 1, 2 * node - 1, 3 * node, 33, 100};
    result.count = std::max(1, one_of(counts, random));
    // A message an element and rank is enough where there are many.
    constexpr int many = 64;
    if (ranks > many) result.count = 1 + static_cast<std::int64_t>(random() % 3);
    result.tunables = {{"segment", 64},
                       {"ahead", 1 + static_cast<std::int64_t>(random() % 4)},
                       {"whole", random() % 2 == 0 ? 0 : 2048}};
    return result;
}

int prove(const Options& options)
{
    long failed = 0, done = 0;
    std::int64_t messages = 0;
    const auto began = std::chrono::steady_clock::now();
    const long first = options.only.value_or(0);
    for (long number = first; number < (options.only ? first + 1 : options.cases); ++number) {
        const Case now = draw(options, number);
        const std::int64_t before = messages;
        const std::string fault = fault_of(now, messages);
        done += messages > before;
        if (fault.empty()) continue;
        ++failed;
        std::printf(
            "FAILED %s\n  %s\n  again: laneway-prove --seed %lu --ranks %d %d%s%s%s%s%s --case "
            "%ld\n",
            now.id().c_str(), fault.c_str(), options.seed, options.least, options.most,
            options.collective.empty() ? "" : " --collective ", options.collective.c_str(),
            options.algorithm.empty() ? "" : " --algorithm ", options.algorithm.c_str(),
            options.with_wrong ? " --with-wrong" : "", number);
    }
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
    std::printf(
        "%ld passed, %ld failed; %ld with messages, %lld messages, %.2f us each (seed %lu)\n",
        (options.only ? 1 : options.cases) - failed, failed, done, static_cast<long long>(messages),
        took.count() * 1e6 / static_cast<double>(std::max<std::int64_t>(1, messages)),
        options.seed);
    return failed == 0 && done > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace
}  // namespace laneway::in_process

int main(int argc, char** argv)
{
    using namespace laneway::in_process;
    const auto options = read(argc, argv);
    if (!options) {
        std::fputs(usage, stderr);
        return EXIT_FAILURE;
    }
    if (options->with_wrong) laneway::property::register_wrong();
    laneway::Recorder::checks = true;
    MPI_Init(&argc, &argv);
    int status = EXIT_FAILURE;
    try {
        status = prove(*options);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "laneway-prove: %s\n", error.what());
    }
    MPI_Finalize();
    return status;
}
