// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string_view>

namespace laneway {

class Settings;

/// One thing that the environment may ask for, as a row of the table of all.
struct Setting {
    /// Where the line of the variable stands in the settings' text. Later lines win: the number of lanes of a profile
    /// yields to LANEWAY_LANES.
    enum class Place : unsigned char {
        before_profiles,
        after_profiles,
        elsewhere,  ///< files that the variable names have lines of their own, or it has none
    };

    const char* variable;  ///< null: it comes from files, or from what was found
    const char* key;       ///< the first word of its lines in the settings' text; null: it has none
    Place place;
    bool is_switch;  ///< anything but empty and 0 is 1
    /// Reads the value of such a line; complaints call it `name`. Throws Misunderstood.
    void (*read)(Settings& into, std::string_view name, std::string_view value);
    const char* help;  ///< one paragraph of Markdown
};

/// All settings, in the order in which the environment is read: include/laneway.h and docs/settings.md list them.
std::span<const Setting> all_settings();

}  // namespace laneway
