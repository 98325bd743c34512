// SPDX-License-Identifier: BSD-3-Clause
#include "call/learn/learning.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <optional>
#include <span>
#include <utility>

#include "call/learn/keeping.hpp"
#include "choose/choice_text.hpp"
#include "choose/date.hpp"
#include "library/error.hpp"
#include "library/real.hpp"
#include "report/report.hpp"
#include "text/hash.hpp"

namespace laneway {
namespace {

constexpr double nanoseconds = 1e9;

std::int64_t in_nanoseconds(double seconds) { return std::llround(seconds * nanoseconds); }

/// Times of processes are summed as whole numbers, so that all get the same sum in whatever order it is made.
///
/// Where all meet in a call, a process's time has its waiting for later ones in it. So whoever waited least
/// is to count most: the mean is that of squared inverse times, in parts of a call's time.
/// @{
constexpr double parts = 1 << 24, most_parts = 1LL << 44;

std::int64_t encoded(double seconds, const CallClass& its)
{
    if (!its.all_meet || its.scale == 0) return in_nanoseconds(seconds);
    const double inverse = static_cast<double>(its.scale) / std::max(1.0, seconds * nanoseconds);
    return std::llround(std::clamp(inverse * inverse * parts, 1.0, most_parts));
}

double decoded(std::int64_t sum, int processes, const CallClass& its)
{
    const double mean = static_cast<double>(std::max<std::int64_t>(sum, 1)) / processes;
    if (!its.all_meet || its.scale == 0) return mean / nanoseconds;
    return static_cast<double>(its.scale) / nanoseconds / std::sqrt(mean / parts);
}
/// @}

std::string name_of(const Shape& shape)
{
    std::string name;
    for (const int number : {shape.ranks, shape.nodes, shape.smallest, shape.largest, shape.lanes})
        name += std::to_string(number) + " ";
    return name + std::to_string(static_cast<int>(shape.binding)) + "|";
}

/// `ranks=16 nodes=4 ppn=4 lanes=2 binding=lane`
std::string conditions_of(const Shape& shape)
{
    const std::string ppn =
        shape.regular() ? std::to_string(shape.smallest)
                        : std::to_string(shape.smallest) + ".." + std::to_string(shape.largest);
    const std::string binding = shape.binding == Binding::unknown
                                    ? ""
                                    : " binding=" + std::string(name_of_binding(shape.binding));
    const std::string cores = shape.nodes > 1 || shape.cores == Cores::unknown
                                  ? ""
                                  : " cores=" + std::string(name_of_cores(shape.cores));
    return "ranks=" + std::to_string(shape.ranks) + " nodes=" + std::to_string(shape.nodes) +
           " ppn=" + ppn + " lanes=" + std::to_string(shape.lanes) + binding + cores;
}

std::string conditions_of_size(std::int64_t bytes)
{
    const auto [least, most] = bounds_of_size_class(size_class(bytes));
    return " bytes=" + std::to_string(least) +
           (most > least ? ".." + std::to_string(most) : std::string());
}

std::string services(const std::vector<Way>& ways)
{
    std::string all;
    for (const Way way : ways) all += (way ? service_of(*way) : "native") + ";";
    return all;
}

std::string two_decimals(double number)
{
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.2f", number);
    return text.data();
}

}  // namespace

Learning::Learning(MPI_Comm comm, const Settings& settings, const Shape& shape, const Layout& on)
    : comm_(comm),
      settings_(settings),
      shape_(shape),
      on_(on),
      shape_name_(name_of(shape)),
      kept_(agreed_knowledge(comm, shape_name_))
{
}

CallClass* Learning::find(Collective collective, const Facts& facts, Way standard, bool all_meet)
{
    const int size = size_class(facts.bytes);
    const int operators = (facts.whole ? 2 : 0) + (facts.order_matters ? 1 : 0);
    const auto [found, is_new] = classes_.try_emplace({collective, size, operators, standard});
    if (!is_new) return found->second.get();
    if (!settings_.rules().learns(collective) || (standard && settings_.is_written(*standard)))
        return nullptr;
    std::vector<Way> ways = ways_of(settings_, shape_, on_, collective, facts, standard);
    if (ways.size() < 2) return nullptr;
    std::string name = shape_name_ + names_of_collectives[collective] + " " + std::to_string(size) +
                       " " + std::to_string(operators) + " " + std::to_string(hash(services(ways)));
    const Learner::Start start{
        .ways = static_cast<int>(ways.size()),
        .standard = standard && standard->choice.algorithm ? 1 : 0,
        .seed = hash(name),
        .known = standard && standard->learned,
    };
    const auto kept = kept_.find(name);
    found->second = std::make_unique<CallClass>(CallClass{
        .name = std::move(name),
        .call = operators == 0 ? names_of_collectives[collective] + (" " + conditions_of(shape_)) +
                                     conditions_of_size(facts.bytes)
                               : "",
        .ways = std::move(ways),
        .learner = kept == kept_.end() ? Learner(start) : Learner(start, kept->second),
        .all_meet = all_meet,
        .standard = start.standard,
    });
    CallClass& its = *found->second;
    if (its.learner.leader() != start.standard) its.why = "learnt on communicators of this shape";
    in_order_.push_back(&its);
    return &its;
}

/// A call that some way of a race would leave to another one takes no turn.
Learning::Turn::Turn(CallClass& its, const Facts& facts, const Layout& on)
    : its_(its),
      counts_(!its.learner.is_open() ||
              std::ranges::all_of(its.learner.race().running(),
                                  [&](int way) {
                                      return way == its.learner.race().standard() ||
                                             serves_itself(its.ways[static_cast<std::size_t>(way)],
                                                           facts, on);
                                  })),
      way_(its.ways[static_cast<std::size_t>(counts_ ? its.learner.turn() : its.learner.leader())]),
      began_(PMPI_Wtime())
{
}

Learning::Turn::~Turn()
{
    const double seconds = PMPI_Wtime() - began_;
    if (counts_) its_.learner.took(seconds);
    Knowledge::own().total += in_nanoseconds(seconds);
}

std::string_view Learning::Turn::why() const
{
    if (counts_ && its_.learner.was_in_race()) return "learning";
    return its_.why;
}

void Learning::bring_together()
{
    std::vector<CallClass*> due;
    std::ranges::copy_if(in_order_, std::back_inserter(due),
                         [](const CallClass* its) { return its->learner.is_due(); });
    if (due.empty()) return;
    Knowledge& knowledge = Knowledge::own();
    std::vector<std::int64_t> mine{knowledge.total, knowledge.reduction};
    const std::size_t of_budget = mine.size();
    for (const CallClass* const its : due)
        for (const double seconds : its->learner.own()) mine.push_back(encoded(seconds, *its));
    std::vector<std::int64_t> all(mine.size());
    const double began = PMPI_Wtime();
    check_raised(real::Allreduce(mine.data(), all.data(), static_cast<std::int64_t>(mine.size()),
                                 MPI_INT64_T, MPI_SUM, comm_));
    const std::int64_t took = in_nanoseconds(PMPI_Wtime() - began);
    const int processes = on_.ranks();
    const auto mean = [&](std::size_t place) {
        return static_cast<double>(all[place]) / processes / nanoseconds;
    };
    const Budget budget{.total = mean(0), .reduction = mean(1)};
    std::size_t at = of_budget;
    for (CallClass* const its : due) {
        std::vector<double> times;
        for (std::size_t i = 0; i < its->learner.own_size(); ++i)
            times.push_back(decoded(all[at++], processes, *its));
        const bool was_open = its->learner.is_open();
        its->learner.take(times, budget);
        if (its->scale == 0) its->scale = std::max<std::int64_t>(1, in_nanoseconds(times.front()));
        if (was_open || its->learner.is_open()) tell(*its);
    }
    knowledge.total += took;
    knowledge.reduction = took;
    keep_now_and_then();
}

/// Tells what a class has learnt: the process's other communicators, and the file of later jobs.
void Learning::tell(CallClass& its) const
{
    const Learner& learner = its.learner;
    std::string rest;
    if (learner.is_decided()) {
        const auto turns = std::to_string(learner.turns());
        const Way leader = its.ways[static_cast<std::size_t>(learner.leader())];
        rest = "learned=" + today() + " calls=" + turns;
        its.why = "learnt from " + turns + " calls";
        if (const auto gain = learner.race().gain_over(0); gain && learner.leader() != 0) {
            const std::string least = two_decimals(gain->least), most = two_decimals(gain->most);
            rest += " gain=" + least + ".." + most;
            its.why += ": " + least + " to " + most + " times as fast as native";
        }
        rest += " use " + (leader ? service_of(*leader) : "native");
    } else if (learner.leader() != learner.race().standard()) {
        its.why = "learning";  // it leads a race that goes on
    } else if (learner.leader() == its.standard) {
        its.why = "";
    }
    std::optional<std::string> rule;
    if (learner.is_decided() || learner.has_forgotten()) rule = rest;
    if (its.call.empty()) rule.reset();
    Knowledge::own().take(its.name, learner.kept(), its.call, rule);
}

}  // namespace laneway
