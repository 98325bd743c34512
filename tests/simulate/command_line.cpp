// SPDX-License-Identifier: BSD-3-Clause
// Command lines: what is taken, what is refused, what the help shows.
#include "command_line/command_line.hpp"

#include <string>
#include <vector>

#include "cases/case.hpp"
#include "text/text.hpp"

namespace laneway::simulate {
namespace {

using cases::Register;

/// A program's options, and what a command line has left in them.
struct Words {
    std::int64_t number = 0;
    int small = 0;
    bool is_quick = false, is_loud = false;
    std::string word, all;
    CommandLine line{"about", "closing"};

    Words()
    {
        line.add("Numbers", {with_number("-n,--number,--no", "N", "a number", number, 1),
                             with_number<int>("-s,--small", "LEAST MOST", "two of them",
                                              [this](int last) { small = last; })});
        line.add("Words", {with_word("--word", "WORD", std::string(100, 'x') + " y", word),
                           flag("-q,--quick", "soon", is_quick), flag("-l", "loud", is_loud)});
        line.add_words([this](const std::string& one) { all += one + ";"; });
    }

    bool read(const std::vector<std::string>& words) const { return line.read(words); }
    std::string refusal(const std::vector<std::string>& words) const
    {
        try {
            read(words);
        } catch (const Misunderstood& why) {
            return why.what();
        }
        return "";
    }
};

const Register forms("an option's value follows it, '=' or a short name; the last one holds", [] {
    for (const std::vector<std::string>& words : {std::vector<std::string>{"--number", "7"},
                                                  {"--no=7"},
                                                  {"-n7"},
                                                  {"-n=7"},
                                                  {"-n", "3", "--number", "7"}}) {
        Words own;
        TRUE(own.read(words));
        EQUAL(own.number, 7);
    }
});

const Register others("words that are no options are handed on, dashes of values are theirs", [] {
    Words own;
    TRUE(own.read({"one", "-ql", "--word", "-n", "-", "-3", "--word="}));
    EQUAL(own.all, "one;-;-3;");
    TRUE(own.is_quick && own.is_loud);
    EQUAL(own.word, "");
    EQUAL(own.number, 0);
});

const Register refusals("what is not understood is said with the option's long name", [] {
    const Words own;
    EQUAL(own.refusal({"--numbers", "1"}),
          "no option '--numbers'; known: --number, --small, --word, --quick, -l");
    EQUAL(own.refusal({"-n"}), "--number needs a value");
    EQUAL(own.refusal({"-n", "x"}), "--number: 'x' is no number");
    EQUAL(own.refusal({"-n", "0"}), "--number: '0' is not from 1 to 9223372036854775807");
    EQUAL(own.refusal({"-s", "1"}), "--small needs a value");
    EQUAL(own.refusal({"-s", "1", "2"}), "--small: '1 2' is no number");
    EQUAL(own.refusal({"--quick=yes"}), "--quick takes no value");
    EQUAL(own.refusal({"-qx"}), "no option '-x'; known: --number, --small, --word, --quick, -l");
});

const Register required("words that are required come in order, and no others", [] {
    int first = 0;
    std::string second;
    CommandLine line("about");
    line.add_parameters({with_number("FIRST", {}, "a number", first, 1),
                         with_word("SECOND", {}, "a word", second)});
    const auto read = [&](const std::vector<std::string>& words) -> std::string {
        try {
            return line.read(words) ? "" : "help";
        } catch (const Misunderstood& why) {
            return why.what();
        }
    };
    EQUAL(read({"2", "b"}), "");
    EQUAL(first, 2);
    EQUAL(second, "b");
    EQUAL(read({"2"}), "SECOND is required");
    EQUAL(read({"0", "b"}), "FIRST: '0' is not from 1 to 2147483647");
    EQUAL(read({"2", "b", "c"}), "not expected: c");
    EQUAL(read({"2", "-h"}), "help");
});

const Register help("the help has names in columns, and words in lines", [] {
    const std::string column(28, ' ');
    EQUAL(Words().line.help(),
          "about\n\nNumbers:\n"
          "  -n, --number, --no N      a number\n"
          "  -s, --small LEAST MOST    two of them\n"
          "\nWords:\n"
          "      --word WORD           " +
              std::string(100, 'x') + "\n" + column +
              "y\n"
              "  -q, --quick               soon\n"
              "  -l                        loud\n"
              "  -h, --help                this text\n"
              "\nclosing\n");
});

}  // namespace
}  // namespace laneway::simulate
