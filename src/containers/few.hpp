// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

namespace laneway {

/// A row that has room for `room` elements in itself. So the rows of a short call take no memory from the system, which
/// would cost as much as its messages. More elements are kept as a vector keeps them.
template <class T, std::size_t room>
class Few {
public:
    using value_type = T;
    using iterator = T*;
    using const_iterator = const T*;

    Few() = default;
    Few(std::initializer_list<T> elements) : Few(elements.begin(), elements.end()) {}
    template <std::input_iterator Iterator>
    Few(Iterator begin, Iterator end)
    {
        for (; begin != end; ++begin) push_back(*begin);
    }
    explicit Few(std::size_t size, const T& value = T())
    {
        for (std::size_t index = 0; index < size; ++index) push_back(value);
    }
    Few(const Few& other) : more_(other.more_)
    {
        std::uninitialized_copy_n(other.own_.elements, other.size_, own_.elements);
        size_ = other.size_;
    }
    Few(Few&& other) noexcept : more_(std::exchange(other.more_, {}))
    {
        std::uninitialized_move_n(other.own_.elements, other.size_, own_.elements);
        size_ = other.size_;
        other.clear();
    }
    Few& operator=(Few other) noexcept
    {
        clear();
        more_ = std::move(other.more_);
        std::uninitialized_move_n(other.own_.elements, other.size_, own_.elements);
        size_ = other.size_;
        return *this;
    }
    ~Few() { std::destroy_n(own_.elements, size_); }

    std::size_t size() const { return more_.empty() ? size_ : more_.size(); }
    bool empty() const { return size() == 0; }
    T* data() { return more_.empty() ? own_.elements : more_.data(); }
    const T* data() const { return more_.empty() ? own_.elements : more_.data(); }

    iterator begin() { return data(); }
    iterator end() { return data() + size(); }
    const_iterator begin() const { return data(); }
    const_iterator end() const { return data() + size(); }
    T& operator[](std::size_t index) { return data()[index]; }
    const T& operator[](std::size_t index) const { return data()[index]; }
    T& front() { return *begin(); }
    const T& front() const { return *begin(); }
    T& back() { return *(end() - 1); }
    const T& back() const { return *(end() - 1); }

    T& push_back(T element)
    {
        if (!more_.empty()) return more_.emplace_back(std::move(element));
        if (size_ < room) return *std::construct_at(own_.elements + size_++, std::move(element));
        std::vector<T> all;
        all.reserve(2 * room);
        std::move(begin(), end(), std::back_inserter(all));
        clear();
        more_ = std::move(all);
        return more_.emplace_back(std::move(element));
    }
    template <class... Argument>
    T& emplace_back(Argument&&... argument)
    {
        return push_back(T{std::forward<Argument>(argument)...});
    }

    friend bool operator==(const Few& one, const Few& other)
    {
        return std::equal(one.begin(), one.end(), other.begin(), other.end());
    }

    /// Drops the first `count` elements.
    void drop_front(std::size_t count)
    {
        std::move(begin() + count, end(), begin());
        shrink(size() - count);
    }
    /// Drops all but the first `size` elements.
    void shrink(std::size_t size)
    {
        if (!more_.empty()) {
            more_.erase(more_.begin() + static_cast<std::ptrdiff_t>(size), more_.end());
            return;
        }
        std::destroy_n(own_.elements + size, size_ - size);
        size_ = size;
    }
    void clear() { shrink(0); }

private:
    /// Room for elements that are not there yet.
    union Own {
        Own() {}   // NOLINT(modernize-use-equals-default): a union of what has one itself
        ~Own() {}  // NOLINT(modernize-use-equals-default)
        T elements[room];
    };

    std::size_t size_ = 0;  ///< elements that have room here
    Own own_;
    std::vector<T> more_;  ///< all elements, as soon as they have no room here
};

/// std::erase_if for such a row.
template <class T, std::size_t room, class Predicate>
void erase_if(Few<T, room>& row, const Predicate& predicate)
{
    const auto end = std::remove_if(row.begin(), row.end(), predicate);
    row.shrink(static_cast<std::size_t>(end - row.begin()));
}

}  // namespace laneway
