// SPDX-License-Identifier: MIT
// case: std_cin
// flags: -DINPUT=std::cin
// expect: all=refused at=call says="cin|istream"
//
// case: the_c_librarys_input
// flags: -DINPUT=c_input
// expect: all=refused says="stdin"
//
// case: a_buffer_of_no_file
// flags: -DINPUT=no_input -DNO_FILE
// expect: all=violated:memory
#include <ext/stdio_sync_filebuf.h>
#include <iostream>

int main() {
  int number = 0;
#ifdef NO_FILE
  __gnu_cxx::stdio_sync_filebuf<char> buffer(nullptr);
  std::istream no_input(&buffer);
#else
  __gnu_cxx::stdio_sync_filebuf<char> buffer(stdin);
  std::istream c_input(&buffer);
#endif
  INPUT >> number;  // @call
  return number;
}
