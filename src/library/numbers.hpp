// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "library/error.hpp"

namespace laneway {

/// An array of counts or displacements as a call of MPI names it. Its numbers are of int or, in the forms with large
/// counts, of MPI_Count and MPI_Aint. Holds no memory.
class Numbers {
public:
    template <class Number>
    Numbers(const Number* numbers) : address_(numbers),
                                     is_large_(sizeof(Number) > sizeof(int))
    {
        static_assert(sizeof(Number) == sizeof(int) || sizeof(Number) == sizeof(std::int64_t));
    }

    /// Whether there is an array; else the pointer is null.
    explicit operator bool() const { return address_ != nullptr; }
    bool is_large() const { return is_large_; }
    const void* address() const { return address_; }

    std::int64_t operator[](int place) const
    {
        return is_large_ ? at<std::int64_t>(place) : at<int>(place);
    }

    /// This array, which has `size` numbers where it is significant to the calling process.
    Numbers of_size(int size) const
    {
        Numbers result = *this;
        result.size_ = size;
        return result;
    }

    bool has_size() const { return size_ > 0; }

    /// The numbers as ints. Throws Error where one does not fit (MPI_ERR_COUNT).
    std::vector<int> narrowed() const
    {
        std::vector<int> result;
        for (int place = 0; place < size_; ++place) {
            if (!std::in_range<int>((*this)[place])) throw Error(MPI_ERR_COUNT);
            result.push_back(static_cast<int>((*this)[place]));
        }
        return result;
    }

    /// The address as a function that takes such an array wants it.
    template <class Number>
    explicit operator const Number*() const
    {
        return static_cast<const Number*>(address_);
    }

private:
    template <class Number>
    Number at(int place) const
    {
        Number number;
        std::memcpy(&number, static_cast<const Number*>(address_) + place, sizeof number);
        return number;
    }

    const void* address_;
    bool is_large_;
    int size_ = 0;
};

}  // namespace laneway
