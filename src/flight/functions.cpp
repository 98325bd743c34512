// SPDX-License-Identifier: BSD-3-Clause
#include "flight/functions.hpp"

#include "text/text.hpp"

namespace laneway::flight {

std::string functions_in_json()
{
    static constexpr std::array rules{"none",      "bytes", "row",     "scattered", "gathered",
                                      "exchanged", "maker", "message", "other"};
    std::string all;
    for (const Function& one : functions) {
        all += all.empty() ? "[" : ",\n";
        all += "{\"name\": " + in_json(one.name) +
               ", \"rule\": " + in_json(rules.at(static_cast<std::size_t>(one.rule))) + "}";
    }
    return all + "]";
}

}  // namespace laneway::flight
