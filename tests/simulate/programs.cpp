// SPDX-License-Identifier: BSD-3-Clause
// Programs that communicators keep: so many, of so many bytes, on all of them together.
#include "decomposition/programs.hpp"

#include <list>
#include <memory>

#include "cases/case.hpp"

namespace laneway::simulate {
namespace {

using cases::Register;

/// A program that takes so many bytes, or little more.
std::shared_ptr<const Program> program_of_bytes(std::size_t bytes)
{
    const auto program = std::make_shared<Program>();
    program->strands.front().operations.resize(bytes / sizeof(Operation));
    return program;
}

constexpr std::size_t megabyte = 1 << 20;

const Register kept_number("a communicator keeps the programs that it used last", [] {
    Programs programs;
    for (int call = 0; call < 16; ++call) programs.keep({call}, program_of_bytes(0));
    TRUE(programs.find({0}) != nullptr);
    programs.keep({16}, program_of_bytes(0));
    TRUE(programs.find({0}) != nullptr);
    TRUE(programs.find({1}) == nullptr);
    TRUE(programs.find({16}) != nullptr);
});

const Register kept_bytes("programs that a communicator keeps take a limited number of bytes", [] {
    Programs programs;
    const std::size_t quarter = Programs::bytes_at_most / 4 - megabyte;
    for (int call = 0; call < 4; ++call) programs.keep({call}, program_of_bytes(quarter));
    for (int call = 0; call < 4; ++call) TRUE(programs.find({call}) != nullptr);
    programs.keep({4}, program_of_bytes(2 * quarter));
    for (int call = 0; call < 5; ++call) EQUAL(programs.find({call}) != nullptr, call >= 1);
    programs.keep({5}, program_of_bytes(Programs::bytes_at_most));
    TRUE(programs.find({5}) == nullptr);
    TRUE(programs.find({4}) != nullptr);
});

const Register kept_of_all(
    "all communicators of a process keep programs of a limited number of bytes", [] {
        std::list<Programs> communicators;
        const std::size_t large = Programs::bytes_at_most - megabyte;
        const auto keeps_one_more = [&] {
            communicators.emplace_back().keep({1}, program_of_bytes(large));
            return communicators.back().find({1}) != nullptr;
        };
        for (std::size_t all = large; all <= Programs::bytes_of_all_at_most; all += large)
            TRUE(keeps_one_more());
        TRUE(!keeps_one_more());
        communicators.pop_front();  // one with a program dies
        TRUE(keeps_one_more());
    });

}  // namespace
}  // namespace laneway::simulate
