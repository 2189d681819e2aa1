// SPDX-License-Identifier: MIT
// The standard streams. Referred to like this, from code that does not move, they lie in the data
// of the program's executable and not of the library, however the program itself refers to them
// (-fPIC, clang). So what its own code does to them is seen.
//
// It is linked to a program that may have C++ in it. In another one they would be no more than data
// to be put back before every execution.
#include <istream>
#include <ostream>

#include "execution/loops/streams.hpp"

extern "C" {
extern const char std_cin[] asm("_ZSt3cin");
extern const char std_cout[] asm("_ZSt4cout");
extern const char std_cerr[] asm("_ZSt4cerr");
extern const char std_clog[] asm("_ZSt4clog");
extern const char std_wcin[] asm("_ZSt4wcin");
extern const char std_wcout[] asm("_ZSt5wcout");
extern const char std_wcerr[] asm("_ZSt5wcerr");
extern const char std_wclog[] asm("_ZSt5wclog");

const fencepost::checker::StandardStreams fencepost_standard_streams = {{
    {std_cin, sizeof(std::istream)},
    {std_cout, sizeof(std::ostream)},
    {std_cerr, sizeof(std::ostream)},
    {std_clog, sizeof(std::ostream)},
    {std_wcin, sizeof(std::istream)},
    {std_wcout, sizeof(std::ostream)},
    {std_wcerr, sizeof(std::ostream)},
    {std_wclog, sizeof(std::ostream)},
}};
}
