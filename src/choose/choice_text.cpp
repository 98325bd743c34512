// SPDX-License-Identifier: BSD-3-Clause
#include "choose/choice_text.hpp"

namespace laneway {

std::string text_of(const Choice& choice)
{
    if (!choice.algorithm) return "native";
    std::string tunables;
    for (const auto& [name, value] : choice.tunables.all())
        if (choice.algorithm->presets[name] != value)
            tunables +=
                (tunables.empty() ? "" : ",") + std::string(name) + "=" + std::to_string(value);
    return choice.algorithm->name + (tunables.empty() ? "" : "(" + tunables + ")");
}

std::string service_of(const Rule& rule)
{
    std::string text = text_of(rule.choice);
    if (!rule.components) return text;
    const char* before = " with ";
    for (const Scope scope : {Scope::node, Scope::lane})
        for (Collective collective = 0; collective < collectives; ++collective)
            if (const Choice* const choice = rule.components->find(scope, collective)) {
                text += before + name_of({names_of_collectives[collective], scope}) + "=" +
                        text_of(*choice);
                before = " ";
            }
    return text;
}

}  // namespace laneway
