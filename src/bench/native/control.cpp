// SPDX-License-Identifier: BSD-3-Clause
#include "bench/native/control.hpp"

#include <algorithm>
#include <array>
#include <regex>
#include <stdexcept>

namespace laneway::bench {
namespace {

void check_tools(int code)
{
    if (code != MPI_SUCCESS)
        throw std::runtime_error("MPI's tool interface failed: error " + std::to_string(code));
}

bool tools_are_open = false;

/// Opens the tool interface in the first use.
void open_tools()
{
    if (tools_are_open) return;
    int provided = MPI_THREAD_SINGLE;
    check_tools(MPI_T_init_thread(MPI_THREAD_SERIALIZED, &provided));
    tools_are_open = true;
}

/// The library's description of a variable.
struct Info {
    std::string name;
    std::string description;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_T_enum values = MPI_T_ENUM_NULL;
    int binding = MPI_T_BIND_NO_OBJECT;
    int scope = MPI_T_SCOPE_CONSTANT;
};

/// The description of a variable; nothing for a number that is not, or no longer, that of a variable.
std::optional<Info> info(int index)
{
    std::array<char, 256> name{};
    std::array<char, 8192> description{};
    int name_length = name.size();
    int description_length = description.size();
    int verbosity = 0;
    Info found;
    if (MPI_T_cvar_get_info(index, name.data(), &name_length, &verbosity, &found.type,
                            &found.values, description.data(), &description_length, &found.binding,
                            &found.scope) != MPI_SUCCESS)
        return std::nullopt;
    found.name = name.data();
    found.description = description.data();
    return found;
}

std::vector<Control::NamedValue> listed_choices(MPI_T_enum values)
{
    std::array<char, 256> name{};
    int number = 0;
    int length = name.size();
    check_tools(MPI_T_enum_get_info(values, &number, name.data(), &length));
    std::vector<Control::NamedValue> found;
    for (int i = 0; i < number; ++i) {
        int value = 0;
        length = name.size();
        check_tools(MPI_T_enum_get_item(values, i, &value, name.data(), &length));
        found.push_back({name.data(), value});
    }
    return found;
}

bool is_name(const std::string& text)
{
    return std::regex_match(text, std::regex("[a-z][a-z0-9_]*"));
}

/// A handle of a variable, for one access.
class Handle {
public:
    explicit Handle(int index)
    {
        int count = 0;
        check_tools(MPI_T_cvar_handle_alloc(index, nullptr, &handle_, &count));
    }
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;
    ~Handle() { MPI_T_cvar_handle_free(&handle_); }

    MPI_T_cvar_handle operator*() const { return handle_; }

private:
    MPI_T_cvar_handle handle_ = MPI_T_CVAR_HANDLE_NULL;
};

}  // namespace

void close_tools()
{
    if (tools_are_open) MPI_T_finalize();
    tools_are_open = false;
}

std::optional<Control> Control::find(const std::string& name)
{
    open_tools();
    Control control;
    if (MPI_T_cvar_get_index(name.c_str(), &control.index_) != MPI_SUCCESS) return std::nullopt;
    const std::optional<Info> told = info(control.index_);
    if (!told || told->binding != MPI_T_BIND_NO_OBJECT ||
        (told->type != MPI_INT && told->type != MPI_C_BOOL))
        return std::nullopt;
    control.type_ = told->type;
    control.settable_ = told->scope != MPI_T_SCOPE_CONSTANT && told->scope != MPI_T_SCOPE_READONLY;
    control.named_values_ = told->values == MPI_T_ENUM_NULL ? described_choices(told->description)
                                                            : listed_choices(told->values);
    return control;
}

std::vector<std::string> Control::names()
{
    open_tools();
    int number = 0;
    check_tools(MPI_T_cvar_get_num(&number));
    std::vector<std::string> found;
    for (int index = 0; index < number; ++index)
        if (const auto told = info(index)) found.push_back(told->name);
    return found;
}

int Control::get() const
{
    const Handle handle(index_);
    if (type_ == MPI_C_BOOL) {
        bool value = false;
        check_tools(MPI_T_cvar_read(*handle, &value));
        return value ? 1 : 0;
    }
    int value = 0;
    check_tools(MPI_T_cvar_read(*handle, &value));
    return value;
}

void Control::set(int value) const
{
    const Handle handle(index_);
    if (type_ == MPI_C_BOOL) {
        const bool truth = value != 0;
        check_tools(MPI_T_cvar_write(*handle, &truth));
        return;
    }
    check_tools(MPI_T_cvar_write(*handle, &value));
}

std::vector<Control::NamedValue> described_choices(const std::string& description)
{
    // MPICH's own rule for what is a choice, and for its number (doc/wiki/notes/cvar.md there). MPICH before 4.1
    // leaves the ends of lines out of its descriptions.
    std::vector<Control::NamedValue> found;
    const auto add = [&](const std::string& name) {
        found.push_back({name, static_cast<int>(found.size())});
    };
    if (description.find('\n') != std::string::npos) {
        const std::regex line("(^|\n)[ \t]*(\\w+)[ \t]+-[ \t]");
        for (std::sregex_iterator at(description.begin(), description.end(), line), end; at != end;
             ++at)
            add((*at)[2]);
        return found;
    }
    const std::string first = "auto - ";
    const std::size_t begin = description.find(first);
    if (begin == std::string::npos) return {};
    add("auto");
    std::size_t dash = description.find(" - ", begin + first.size());
    if (dash == std::string::npos) return found;
    const std::size_t bracket = description.rfind(')', dash);  // At the end of the text on `auto`.
    if (bracket == std::string::npos || bracket < begin) return {};
    const std::size_t width = dash - bracket;
    for (; dash != std::string::npos; dash = description.find(" - ", dash + 1)) {
        const std::string field = description.substr(dash + 1 - width, width);
        const std::string name = field.substr(0, field.find(' '));
        if (!is_name(name) || field.find_first_not_of(' ', name.size()) != std::string::npos)
            return {};
        add(name);
    }
    return found;
}

}  // namespace laneway::bench
