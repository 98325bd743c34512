// SPDX-License-Identifier: BSD-3-Clause
#include "choose/learned.hpp"

#include <cctype>
#include <filesystem>
#include <string_view>

#include "choose/place.hpp"
#include "choose/profile.hpp"
#include "library/identity.hpp"

namespace laneway {

std::string learned_file()
{
    const std::string folder = learned_folder();
    if (folder.empty()) return {};
    std::string name;
    for (const char c : library_name() + " " + place_of_nodes()) {
        const auto letter = static_cast<unsigned char>(c);
        if (std::isalnum(letter) || c == '.')
            name += static_cast<char>(std::tolower(letter));
        else if (!name.empty() && name.back() != '-')
            name += '-';
    }
    while (!name.empty() && name.back() == '-') name.pop_back();
    return folder + "/" + name + ".conf";
}

std::vector<std::string> learned_profiles()
{
    std::error_code failed;
    const std::string file = learned_file();
    if (file.empty() || !std::filesystem::exists(file, failed)) return {};
    return {file};
}

std::string learned_header()
{
    const std::string place = place_of_nodes();
    return std::string(first_line_of_profiles) +
           "\n# Learnt by jobs under `laneway exec --learn`, which write this file anew: what is "
           "changed here by hand "
           "is lost.\n# Profiles that somebody has measured or written go before it.\nlibrary " +
           library_name() + "\n" + (place.empty() ? "" : "place " + place + "\n");
}

}  // namespace laneway
