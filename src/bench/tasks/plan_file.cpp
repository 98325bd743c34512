// SPDX-License-Identifier: BSD-3-Clause
#include <set>
#include <sstream>
#include <utility>

#include "bench/options/command_line.hpp"
#include "bench/tasks/plan.hpp"
#include "bench/tasks/shared_files.hpp"
#include "bench/text/words.hpp"

namespace laneway::bench {
namespace {

/// The words of a line, up to a comment.
std::vector<std::string> words(const std::string& line)
{
    std::istringstream text(line);
    std::vector<std::string> found;
    for (std::string word; text >> word && !word.starts_with('#');) found.push_back(word);
    return found;
}

/// The blocks of the lines of a plan.
std::vector<Block> blocks_of(const std::string& text, const Options& options, MPI_Comm comm)
{
    std::istringstream lines(text);
    std::vector<Block> blocks;
    std::set<std::string> names;
    int number = 0;
    for (std::string line; std::getline(lines, line);) {
        ++number;
        std::vector<std::string> all = words(line);
        if (all.empty()) continue;
        try {
            const std::string name = all.front();
            all.erase(all.begin());
            if (!names.insert(name).second)
                throw Misunderstood("there is a block '" + name + "' already");
            Options own = parse(options, all);
            if (own.task != Options::Task::measure || own.plan != options.plan ||
                own.out != options.out || own.threads != options.threads)
                throw Misunderstood(
                    "--threads, --out, --plan and other tasks than measuring hold for "
                    "a whole plan, not for a block of it");
            own.block = name;
            blocks.push_back(block_of(std::move(own), comm));
        } catch (const Misunderstood& error) {
            throw Misunderstood(options.plan + ", line " + std::to_string(number) + ": " +
                                error.what());
        }
    }
    return blocks;
}

}  // namespace

std::vector<Block> plan(const Options& options, MPI_Comm comm)
{
    if (options.plan.empty()) return {block_of(options, comm)};
    std::vector<Block> blocks = blocks_of(shared_text("--plan", options.plan, comm), options, comm);
    if (blocks.empty()) throw Misunderstood("--plan: there is no block in " + options.plan);
    return blocks;
}

GrowingPlan::GrowingPlan(const Options& options, MPI_Comm comm) : options_(options), comm_(comm) {}

std::vector<Block> GrowingPlan::next()
{
    const std::string added = added_text(options_.plan, known_, comm_);
    known_ += added.size();
    return blocks_of(added, options_, comm_);
}

}  // namespace laneway::bench
