// SPDX-License-Identifier: BSD-3-Clause
#include "choose/settings.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "choose/environment.hpp"
#include "choose/lane_weights.hpp"
#include "choose/reproducible.hpp"
#include "text/hash.hpp"
#include "text/text.hpp"

namespace laneway {
namespace {

/// No machine has more; a larger number is a mistake.
constexpr int most_lanes = 1024;

/// Making a communicator's parts takes some seven small collectives, a split among them. A communicator that has had
/// 20 collectives has cost four to be made besides. The parts add no more than a third to that, should it make no
/// further call.
constexpr int patience_unless_said = 20;

/// The lanes of the words after `lanes` in a profile: `2`, `2 weights 2:1`, or `2 weights 10:10,node2=10:1`.
NetworkLanes lanes_of(std::string_view text)
{
    try {
        if (text.starts_with('=')) throw Misunderstood("no '=' stands before the number");
        const auto lanes = static_cast<int>(number(next_outside(text, ' '), 1, most_lanes));
        const std::string_view word = next_outside(text, ' ');
        if (word.empty()) return lanes;
        if (word != "weights") throw Misunderstood(in_quotes(word) + " is not 'weights'");
        return weighted_lanes(trimmed(text), lanes);
    } catch (const Misunderstood& why) {
        throw Misunderstood(std::string("lanes: ") + why.what() + "; write: lanes 2");
    }
}

/// `body(key, line)` for each of the text's lines, of which the key is the first word.
template <class Body>
void for_lines(std::string_view text, const Body& body)
{
    while (!text.empty()) {
        const std::string_view line = next(text, '\n');
        body(line.substr(0, line.find(' ')), line);
    }
}

/// The text that was read before the first collective, and the variables then.
struct Prepared {
    std::string variables;
    std::string text;
};
std::optional<Prepared> prepared;

}  // namespace

void Settings::prepare() { prepared = {environment_variables(), read_environment()}; }

std::shared_ptr<const Settings> Settings::own()
{
    static const auto settings = std::make_shared<const Settings>(
        prepared && prepared->variables == environment_variables() ? prepared->text
                                                                   : read_environment());
    return settings;
}

Settings::Settings(std::string text) : text_(std::move(text))
{
    try {
        std::string_view rest = text_;
        std::vector<Statement> unwritten;  // statements of the file that is being read
        while (!rest.empty()) {
            std::string_view line = next(rest, '\n');
            const std::string_view key = next(line, ' ');
            const bool is_unwritten = key == "predicted" || key == "learned";
            const std::string_view origin = is_unwritten ? next(line, '\t') : "";
            if (!unwritten.empty() && file_of(origin) != file_of(unwritten.front().origin)) {
                read_unwritten(unwritten);
                unwritten.clear();
            }
            if (is_unwritten)
                unwritten.push_back({std::string(origin), std::string(line)});
            else
                read(key, line);
        }
        if (!unwritten.empty()) read_unwritten(unwritten);
        if (learns_) let_learn();
        if (reproducible_) overruled_ = make_reproducible(rules_);
    } catch (const Misunderstood& why) {
        error_ = why.what();
        off_ = true;
    }
    if (off_) rules_ = {};
}

void Settings::add_unwritten(std::string_view file)
{
    if (unwritten_.empty() || unwritten_.back() != file) unwritten_.emplace_back(file);
}

void Settings::let_learn()
{
    for (Collective collective = 0; collective < collectives; ++collective)
        if (learns_reductions_ || !collectives_that_reduce[collective])
            for (const Scope form : {Scope::user, Scope::nonblocking})
                rules_.learn(form, collective);
}

void Settings::read_unwritten(const std::vector<Statement>& profile)
{
    add_unwritten(file_of(profile.front().origin));
    const Rules rules = rules_;
    const Headers headers = headers_;
    const std::optional<NetworkLanes> lanes = predicted_lanes_;
    const bool disagree = predictions_disagree_;
    try {
        for (const Statement& statement : profile) read_statement(statement.text, statement.origin);
    } catch (const Misunderstood& why) {
        rules_ = rules;
        headers_ = headers;
        predicted_lanes_ = lanes;
        predictions_disagree_ = disagree;
        damage_.emplace_back(why.what());
    }
}

std::vector<std::string> Settings::remarks() const
{
    std::vector<std::string> all = headers_.remarks();
    for (const std::string& why : damage_) all.push_back(why + ": what is said there is left out");
    return all;
}

int Settings::patience(bool lasts) const
{
    if (reproducible_) return 0;
    return patience_.value_or(lasts || is_experiment_ ? 0 : patience_unless_said);
}

void Settings::read(std::string_view key, std::string_view value)
{
    const auto all = all_settings();
    const auto row = std::ranges::find_if(
        all, [&](const Setting& one) { return one.key != nullptr && key == one.key; });
    if (row == all.end())
        throw Misunderstood(std::string(value));  // the value of a line that says what is wrong
    row->read(*this, row->variable ? row->variable : row->key, value);
}

std::string Settings::text_with_found_lanes(int lanes) const
{
    if (!looked_for_lanes()) return text_;
    std::string text = lanes > 1 ? "found_lanes " + std::to_string(lanes) + "\n" : "";
    for_lines(text_, [&](std::string_view key, std::string_view line) {
        // Built-in profiles are read where a node has several lanes, or a core for each process of the job.
        if (key != "found_lanes" && (key != "built_in" || lanes > 1 || has_cores_here_))
            text.append(line) += '\n';
    });
    return text;
}

std::shared_ptr<const Settings> Settings::with_binding(std::shared_ptr<const Settings> settings,
                                                       Binding found)
{
    if (settings->binding() != Binding::unknown || found == Binding::unknown) return settings;
    auto known = std::make_shared<Settings>(*settings);
    known->binding_ = found;
    return known;
}

std::uint64_t Settings::digest_of_what_is_said() const
{
    std::string said;
    for_lines(text_, [&](std::string_view key, std::string_view line) {
        if (key != "found_lanes" && key != "found_binding" && key != "found_cores" &&
            key != "built_in" && key != "library")
            said.append(line) += '\n';
    });
    return hash(said);
}

void Settings::read_line_of_profile(std::string_view line)
{
    const std::string_view origin = next(line, '\t');
    read_statement(line, std::string(origin));
}

void Settings::set_lanes(const NetworkLanes& lanes, std::string_view file)
{
    const bool is_predicted = !headers_.predicted(file).empty();
    if (is_predicted && predicted_lanes_ && *predicted_lanes_ != lanes) {
        predictions_disagree_ = predictions_disagree_ || predicted_lanes_->number != lanes.number;
        predicted_lanes_ = lanes.number;  // whichever weights they have
    } else {
        (is_predicted ? predicted_lanes_ : lanes_) = lanes;
    }
}

NetworkLanes Settings::network_lanes() const
{
    const auto predicted = predictions_disagree_ ? std::nullopt : predicted_lanes_;
    NetworkLanes lanes = lanes_             ? *lanes_
                         : found_lanes_ > 0 ? NetworkLanes(found_lanes_)
                                            : predicted.value_or(1);
    if (lanes.weights.empty() && predicted && predicted->number == lanes.number) lanes = *predicted;
    return lanes;
}

void Settings::read_statement(std::string_view statement, const std::string& origin)
{
    try {
        const std::string_view file = file_of(origin);
        if (headers_.read(statement, file)) return;
        std::string_view rest = statement;
        const std::string_view word = next_outside(rest, ' ');
        if (!headers_.holds(file)) return;
        if (word == "lanes" || word.starts_with("lanes="))
            set_lanes(lanes_of(word == "lanes" ? rest : word.substr(word.find('='))), file);
        else
            rules_.add_line(statement, origin, headers_.tuned_shapes(file));
    } catch (const Misunderstood& why) {
        throw Misunderstood(origin + ": " + why.what());
    }
}

}  // namespace laneway
