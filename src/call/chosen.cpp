// SPDX-License-Identifier: BSD-3-Clause
#include "call/chosen.hpp"

#include "choose/named.hpp"
#include "library/error.hpp"
#include "text/text.hpp"

namespace laneway {
namespace {

/// The facts for the chosen algorithm. A call that names its algorithm alone has chosen it by hand.
Facts judged(const Chosen& chosen, const Facts& facts)
{
    return demanded(facts, !chosen.choice || chosen.choice->by_hand);
}

}  // namespace

std::optional<Chosen> named_in_call(Collective collective, const char* algorithm)
{
    if (!algorithm) return std::nullopt;
    if (registry::knows(collective, algorithm))
        return Chosen{registry::find(collective, algorithm), nullptr, "named in the call"};
    try {
        const Rule& rule = rule_named(collective, algorithm);
        return Chosen{rule.choice.algorithm, &rule, rule.origin, &rule.choice};
    } catch (const Misunderstood&) {
        throw Error(MPI_ERR_ARG);
    }
}

Chosen chosen_by(const std::optional<Chosen>& named, const Selector* selector,
                 Collective collective, const Facts& facts)
{
    if (named) return *named;
    const Rule* const rule = selector ? selector->rule(collective, facts.bytes) : nullptr;
    if (!rule) return {nullptr, nullptr, not_chosen(selector && selector->offers(collective))};
    const Choice& choice = facts.whole && rule->whole ? *rule->whole : rule->choice;
    return {choice.algorithm, rule, rule->origin, &choice};
}

Chosen chosen_of(const Rule* rule, std::string_view why)
{
    if (!rule) return {nullptr, nullptr, why};
    return {rule->choice.algorithm, rule, why, &rule->choice};
}

Server fitting(const Chosen& chosen, const Facts& facts, const Layout& on)
{
    static const Tunables none;
    const Algorithm* const algorithm =
        registry::eligible(chosen.algorithm, judged(chosen, facts), on);
    if (!algorithm) return {nullptr, none};
    if (!chosen.choice || algorithm != chosen.algorithm) return {algorithm, algorithm->presets};
    return {algorithm, chosen.choice->tunables};
}

std::string unmet_in_words(const Chosen& chosen, const Facts& facts, const Layout& on)
{
    return std::string(chosen.why) + ": " + chosen.algorithm->name +
           " needs: " + chosen.algorithm->needs.unmet(judged(chosen, facts), on).text();
}

}  // namespace laneway
