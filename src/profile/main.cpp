// SPDX-License-Identifier: BSD-3-Clause
// laneway-profile: the library's reading of profiles, as JSON lines, for the command `laneway`. No
// MPI is started.
//
//     laneway-profile check FILE...     every rule of these files, and everything that is wrong with them
//     laneway-profile used              the lanes that were found, if they count; every profile that holds by the
//                                       LANEWAY_* variables, its number of rules, and when they were predicted, if
//                                       they were, or whether they were learnt; profiles that are left out, and for
//                                       which library they are; remarks
//     laneway-profile show RANKS NODES SMALLEST LARGEST LANES COLLECTIVE[@node|@lane] BYTES [BINDING]
//                                       the rule that would decide, by the LANEWAY_* variables, the binding that counts
//                                       (BINDING, or where it is none that of the environment), and the cores that
//                                       LANEWAY_CORES says
//     laneway-profile settings          the variables, each with what it says
//     laneway-profile lanes FOLDER      the lanes among the devices in a folder such as /sys/class, by the environment
//
// Exit code: 0, 1 where something is wrong with the profiles, 2 for wrong arguments.
#include <algorithm>
#include <climits>
#include <cstdio>
#include <exception>
#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "choose/environment.hpp"
#include "choose/learned.hpp"
#include "choose/profile.hpp"
#include "choose/rules.hpp"
#include "choose/settings.hpp"
#include "machine/binding.hpp"
#include "machine/cores.hpp"
#include "machine/lanes.hpp"
#include "profile/losses.hpp"
#include "text/text.hpp"

namespace laneway {
namespace {

using Json = nlohmann::ordered_json;

Json described(const Range& range, const Range& whole)
{
    const Json most = range.most >= whole.most ? Json() : Json(range.most);
    return Json::array({range.least, most});
}

Json described(const Choice& choice)
{
    Json tunables = Json::object();
    for (const auto& [name, value] : choice.tunables.all()) tunables[name] = value;
    return {{"algorithm", choice.algorithm ? choice.algorithm->name : "native"},
            {"tunables", tunables}};
}

Json described(const Components& components)
{
    Json parts = Json::object();
    for (const Scope scope : {Scope::node, Scope::lane})
        for (Collective collective = 0; collective < collectives; ++collective)
            if (const Choice* choice = components.find(scope, collective))
                parts[name_of({names_of_collectives[collective], scope})] = described(*choice);
    return parts;
}

Json described(const Where& where)
{
    constexpr Range numbers{1, INT_MAX};
    Json conditions = Json::object();
    const auto condition = [&](const char* name, const Range& range, const Range& whole) {
        if (!range.covers(whole)) conditions[name] = described(range, whole);
    };
    condition("ranks", where.ranks, numbers);
    condition("nodes", where.nodes, numbers);
    condition("ppn", where.ppn, numbers);
    condition("lanes", where.lanes, numbers);
    if (where.binding) conditions["binding"] = name_of_binding(*where.binding);
    if (where.cores) conditions["cores"] = name_of_cores(*where.cores);
    condition("bytes", where.bytes, {});
    if (where.regular) conditions["layout"] = *where.regular ? "regular" : "irregular";
    return conditions;
}

Json described_service(const Rule& rule)
{
    Json service = described(rule.choice);
    service["components"] = rule.components ? described(*rule.components) : Json::object();
    return service;
}

Json described(const Rule& rule, const std::string& collective)
{
    Json all = {
        {"rule", rule.origin}, {"collective", collective}, {"where", described(rule.where)}};
    all.update(described_service(rule));
    if (rule.inferred) all["inferred"] = *rule.inferred;
    if (rule.learned)
        all["learned"] = {{"date", rule.learned->date},
                          {"calls", rule.learned->calls},
                          {"gain", rule.learned->gain}};
    return all;
}

std::vector<Claim> claims_of(const std::vector<Rule>& rules)
{
    std::map<std::string, std::size_t> files, services;
    const auto number = [](auto& known, std::string name) {
        return known.try_emplace(std::move(name), known.size()).first->second;
    };
    std::vector<Claim> claims;
    for (const Rule& rule : rules)
        claims.push_back({rule.where, number(files, std::string(file_of(rule.origin))),
                          number(services, described_service(rule).dump())});
    return claims;
}

/// The losses of a rule to others of these: all of it (`hidden_by`), or a part (`overlapped_by`), each with where.
Json described(const Losses& losses, const std::vector<Rule>& rules, const Rule& rule)
{
    if (losses.hidden_by) return {{"hidden_by", rules[*losses.hidden_by].origin}};
    Json all = Json::object();
    for (const std::size_t other : losses.overlapped_by)
        all["overlapped_by"].push_back(
            {{"rule", rules[other].origin},
             {"where", described(*rules[other].where.overlap(rule.where))}});
    if (losses.more > 0) all["overlapped_by_more"] = losses.more;
    return all;
}

/// Prints JSON in one line. Bytes that are no text in a name of the user's become Unicode's character for such.
void print(const Json& line)
{
    std::puts(line.dump(-1, ' ', false, Json::error_handler_t::replace).c_str());
}

void print_error(const std::string& why) { print({{"error", why}}); }

/// `body(name, rules)` for each collective in each scope that a rule may have.
template <class Body>
void for_targets(const Rules& rules, const Body& body)
{
    for (const Scope scope :
         {Scope::user, Scope::nonblocking, Scope::persistent, Scope::node, Scope::lane})
        for (Collective collective = 0; collective < collectives; ++collective)
            body(name_of({names_of_collectives[collective], scope}), rules.all(scope, collective));
}

void print_rules(const Rules& rules)
{
    for_targets(rules, [](const std::string& target, const std::vector<Rule>& all) {
        bool complete = true;
        const std::vector<Losses> losses = losses_of(claims_of(all), complete);
        for (std::size_t i = 0; i < all.size(); ++i) {
            Json rule = described(all[i], target);
            rule.update(described(losses[i], all, all[i]));
            print(rule);
        }
        if (!complete)
            print({{"remark",
                    "so many rules for " + target + " overlap that not all of them are compared"}});
    });
}

int check(std::span<char*> paths)
{
    Settings settings("");
    bool well = true;
    for (const char* path : paths) try {
            for (const Statement& statement : read_profile(path)) try {
                    settings.read_statement(statement.text, statement.origin);
                } catch (const Misunderstood& why) {
                    print_error(why.what());
                    well = false;
                }
        } catch (const Misunderstood& why) {
            print_error(why.what());
            well = false;
        }
    print_rules(settings.rules());
    return well ? 0 : 1;
}

/// The binding of a job with this environment, which all its processes have, on nodes of so many lanes.
Binding binding_here(const Settings& settings, int lanes)
{
    return settings.binding() != Binding::unknown ? settings.binding()
                                                  : binding_of(own_devices(), true, lanes);
}

int used()
{
    const auto settings = Settings::own();
    if (!settings->error().empty()) {
        print_error(settings->error());
        return 1;
    }
    if (const auto& [lanes, by] = found_lanes();
        lanes == settings->lanes() && settings->looked_for_lanes())
        print({{"lanes", lanes},
               {"found", by},
               {"binding", name_of_binding(binding_here(*settings, lanes))}});
    if (const NetworkLanes lanes = settings->network_lanes(); !lanes.weights.empty()) {
        Json fact = {{"weights", lanes.weights}};
        for (const auto& [node, weights] : lanes.of_nodes) fact["of_nodes"][node] = weights;
        print(fact);
    }
    std::map<std::string, int> numbers;
    for_targets(settings->rules(), [&](const std::string&, const std::vector<Rule>& all) {
        for (const Rule& rule : all)
            if (rule.origin.find(':') != rule.origin.npos)  // not a variable's
                ++numbers[std::string(file_of(rule.origin))];
    });
    for (const auto& [file, rules] : numbers) {
        Json fact = {{"file", file}, {"rules", rules}};
        if (const auto date = settings->predicted(file); !date.empty()) fact["predicted"] = date;
        if (file == learned_file()) fact["learned"] = true;
        print(fact);
    }
    const Profiles profiles = profiles_of_environment();
    for (const auto* const files : {&profiles.predicted, &profiles.own})
        for (const std::string& file : *files) try {
                if (const std::string library = other_library_of(file); !library.empty())
                    print({{"left_out", file}, {"library", library}});
            } catch (const Misunderstood&) {  // told as a remark
            }
    for (const std::string& remark : settings->remarks()) print({{"remark", remark}});
    return 0;
}

int show(std::span<char*> words)
{
    const auto at = [&](std::size_t i) { return std::string_view(words[i]); };
    const auto count = [&](std::size_t i) { return static_cast<int>(number(at(i), 0, INT_MAX)); };
    const auto settings = Settings::own();
    if (!settings->error().empty()) {
        print_error(settings->error());
        return 1;
    }
    Shape shape{count(0), count(1), count(2), count(3), count(4) ? count(4) : settings->lanes()};
    const auto said = words.size() > 7 ? binding_named(at(7)) : std::nullopt;
    shape.binding = said ? *said : binding_here(*settings, shape.lanes);
    shape.cores = settings->cores();
    const std::int64_t bytes = number(at(6), 0, LLONG_MAX, true);
    const Target target = target_of(at(5));
    const Selector selector(settings->rules(), target.scope, shape);
    const Rule* const rule = selector.rule(collective_named(target.collective), bytes);
    Json fact = described(rule ? *rule : Rule{}, name_of(target));
    fact["binding"] = name_of_binding(shape.binding);
    fact["cores"] = name_of_cores(shape.cores);
    print(fact);
    return 0;
}

int lanes(const char* folder)
{
    for (const NetworkDevice& lane : lanes_of(folder))
        print({{"lane", lane.name}, {"network", lane.network}, {"gigabits", lane.rate}});
    return 0;
}

int settings()
{
    for (const Setting& setting : all_settings())
        if (setting.variable) print({{"variable", setting.variable}, {"help", setting.help}});
    return 0;
}

int run(std::span<char*> words)
{
    const std::string_view what = words.size() > 1 ? words[1] : "";
    try {
        if (what == "check") return check(words.subspan(2));
        if (what == "used") return used();
        if (what == "settings") return settings();
        if (what == "show" && (words.size() == 9 || words.size() == 10))
            return show(words.subspan(2));
        if (what == "lanes" && words.size() == 3) return lanes(words[2]);
        std::fputs(
            "usage: laneway-profile check FILE... | used | settings | show SHAPE COLLECTIVE BYTES "
            "[BINDING] | lanes FOLDER\n",
            stderr);
    } catch (const std::exception& why) {
        std::fprintf(stderr, "laneway-profile: %s\n", why.what());
    }
    return 2;
}

}  // namespace
}  // namespace laneway

int main(int argc, char** argv) { return laneway::run({argv, static_cast<std::size_t>(argc)}); }
