// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "choose/rules.hpp"

/// Choices in the words of profiles.
namespace laneway {

/// `lane_segmented(segment=32768)`, with those tunables that are not at their presets.
std::string text_of(const Choice& choice);

/// The text behind `use`: the choice, and the components that the rule names.
std::string service_of(const Rule& rule);

}  // namespace laneway
