// SPDX-License-Identifier: BSD-3-Clause
#include "call/learn/learning.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "call/learn/keeping.hpp"
#include "choose/choice_text.hpp"
#include "choose/conditions.hpp"
#include "choose/date.hpp"
#include "choose/target.hpp"
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

/// ` bytes=16384..32767`; nothing where few processes know the bytes.
std::string conditions_of_size(const Facts& facts)
{
    if (facts.bytes < 0) return {};
    const auto [least, most] = bounds_of_size_class(size_class(facts.bytes));
    return " bytes=" + std::to_string(least) +
           (most > least ? ".." + std::to_string(most) : std::string());
}

/// The kind of an operator, as far as it decides which algorithms may serve.
int operators_of(const Facts& facts)
{
    return (facts.whole ? 2 : 0) + (facts.order_matters ? 1 : 0);
}

std::string services(const std::vector<Way>& ways)
{
    std::string all;
    for (const Way way : ways) all += (way ? service_of(*way) : "native") + ";";
    return all;
}

/// How many times as fast as native the leader is, as rules have it; empty: it is native, or nothing is known.
std::string gain_of(const Learner& learner)
{
    const auto gain = learner.race().gain_over(0);
    return gain && learner.leader() != 0 ? gain_text(gain->least, gain->most) : "";
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

std::optional<Learning::Turn> Learning::turn(Scope form, Collective collective, const Facts& facts,
                                             Way standard, bool all_meet)
{
    const Key key{form, collective, size_class(facts.bytes), operators_of(facts), standard};
    const auto [found, is_new] = classes_.try_emplace(key);
    if (is_new) {
        found->second = made(form, collective, facts, standard, all_meet);
        if (found->second) in_order_.push_back(found->second.get());
    }
    if (!found->second) return std::nullopt;
    return Turn(found->second, facts, on_);
}

/// Null: nothing is learnt of such calls.
std::shared_ptr<CallClass> Learning::made(Scope form, Collective collective, const Facts& facts,
                                          Way standard, bool all_meet) const
{
    if (!settings_.rules().learns(form, collective) ||
        (standard && settings_.is_written(*standard)))
        return nullptr;
    std::vector<Way> ways = ways_of(settings_, shape_, on_, form, collective, facts, standard);
    if (ways.size() < 2) return nullptr;
    const std::string target = name_of({names_of_collectives[collective], form});
    const int operators = operators_of(facts);
    std::string name = shape_name_ + target + " " + std::to_string(size_class(facts.bytes)) + " " +
                       std::to_string(operators) + " " + std::to_string(hash(services(ways)));
    const Learner::Start start{
        .ways = static_cast<int>(ways.size()),
        .standard = standard && standard->choice.algorithm ? 1 : 0,
        .seed = hash(name),
        .known = standard && standard->learned,
    };
    const auto kept = kept_.find(name);
    // A mutex cannot be moved: the class is made where it stays.
    auto its = std::shared_ptr<CallClass>(new CallClass{
        .name = std::move(name),
        .call =
            operators == 0 ? target + " " + conditions_of(shape_) + conditions_of_size(facts) : "",
        .ways = std::move(ways),
        .learner = kept == kept_.end() ? Learner(start) : Learner(start, kept->second),
        .all_meet = all_meet && form == Scope::user,
        .blocking = form == Scope::user,
        .standard = start.standard,
    });
    if (its->learner.leader() != start.standard) its->why = "learnt on communicators of this shape";
    return its;
}

/// A call that some way of a race would leave to another one takes no turn.
Learning::Turn::Turn(std::shared_ptr<CallClass> its, const Facts& facts, const Layout& on)
    : its_(std::move(its))
{
    const std::scoped_lock lock(its_->mutex);
    Learner& learner = its_->learner;
    const auto way = [&](int number) { return its_->ways[static_cast<std::size_t>(number)]; };
    counts_ = !learner.is_open() || std::ranges::all_of(learner.race().running(), [&](int number) {
        return number == learner.race().standard() || serves_itself(way(number), facts, on);
    });
    if (counts_) call_ = learner.begin();
    way_ = way(counts_ ? call_.way : learner.leader());
    why_ = counts_ && call_.in_race ? "learning" : its_->why;
}

void Learning::Turn::took(double seconds) const
{
    const std::scoped_lock lock(its_->mutex);
    if (counts_) its_->learner.took(call_, seconds);
    Knowledge::own().total += in_nanoseconds(seconds);
}

/// Classes whose times are to be brought together, as all processes know.
std::vector<CallClass*> Learning::due()
{
    ++meetings_;
    std::vector<CallClass*> found;
    for (CallClass* const its : in_order_) {
        const std::scoped_lock lock(its->mutex);
        if (its->learner.is_due() && (its->blocking || its->asks_at <= meetings_))
            found.push_back(its);
    }
    return found;
}

/// Takes classes out of which some process lacks times: its calls are still under way. The next question comes after
/// ever more meetings, as a program may never complete a request. Collective where calls may be under way.
void Learning::keep_whole(std::vector<CallClass*>& due) const
{
    std::vector<int> lacks, some_lack;
    for (CallClass* const its : due) {
        const std::scoped_lock lock(its->mutex);
        if (!its->blocking) lacks.push_back(its->learner.is_whole() ? 0 : 1);
    }
    if (lacks.empty()) return;
    some_lack.resize(lacks.size());
    check_raised(real::Allreduce(lacks.data(), some_lack.data(),
                                 static_cast<std::int64_t>(lacks.size()), MPI_INT, MPI_MAX, comm_));
    auto some = some_lack.begin();
    std::erase_if(due, [&](CallClass* its) {
        if (its->blocking) return false;
        const bool lacking = *some++ != 0;
        its->asks_again_after = lacking ? 2 * its->asks_again_after : 1;
        its->asks_at = meetings_ + its->asks_again_after;
        return lacking;
    });
}

void Learning::bring_together()
{
    std::vector<CallClass*> due = this->due();
    keep_whole(due);
    if (due.empty()) return;
    Knowledge& knowledge = Knowledge::own();
    std::vector<std::int64_t> mine{knowledge.total, knowledge.reduction};
    const std::size_t of_budget = mine.size();
    for (CallClass* const its : due) {
        const std::scoped_lock lock(its->mutex);
        for (const double seconds : its->learner.own()) mine.push_back(encoded(seconds, *its));
        mine.push_back(its->learner.most_under_way());
    }
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
        const std::scoped_lock lock(its->mutex);
        std::vector<double> times;
        for (std::size_t i = 0; i < its->learner.own_size(); ++i)
            times.push_back(decoded(all[at++], processes, *its));
        const std::int64_t under_way = (all[at++] + processes - 1) / processes;
        const bool was_open = its->learner.is_open();
        its->learner.take(times, static_cast<int>(under_way), budget);
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
        if (const std::string gain = gain_of(learner); !gain.empty()) {
            rest += " gain=" + gain;
            const auto dots = gain.find("..");
            its.why += ": " + gain.substr(0, dots) + " to " + gain.substr(dots + 2) +
                       " times as fast as native";
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
