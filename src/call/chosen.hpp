// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "choose/rules.hpp"
#include "collectives/choice.hpp"
#include "layout/layout.hpp"

/// Which algorithm a call gets: whatever the collective, by its place in the catalogue.
namespace laneway {

/// The choice that a call or a rule makes.
struct Chosen {
    const Algorithm* algorithm;  ///< null: native
    const Rule* rule;            ///< null: none decides, or the call names the algorithm alone
    std::string_view why;
    const Choice* choice = nullptr;  ///< the rule's
};

/// The algorithm that serves a call, and its tunables.
struct Server {
    const Algorithm* algorithm;  ///< null: native
    const Tunables& tunables;
};

/// The choice that a call makes by a name; none without a name. Throws Error where nothing is called so.
std::optional<Chosen> named_in_call(Collective collective, const char* algorithm);

/// The choice of the call, or else that of a communicator's rules; `selector` null: there are none.
Chosen chosen_by(const std::optional<Chosen>& named, const Selector* selector,
                 Collective collective, const Facts& facts);

/// Why nothing is chosen, where rules (don't) `offer` something for the collective.
constexpr const char* not_chosen(bool offer)
{
    return offer ? "no rule fits" : "nothing else is chosen";
}

/// The choice of a rule, for whichever reason; null: native.
Chosen chosen_of(const Rule* rule, std::string_view why);

/// The chosen algorithm, or what stands in for it where its requirements don't hold.
Server fitting(const Chosen& chosen, const Facts& facts, const Layout& on);

/// Why something stands in for the chosen algorithm: "site.conf:12: lane needs: as many processes on every node".
std::string unmet_in_words(const Chosen& chosen, const Facts& facts, const Layout& on);

}  // namespace laneway
