// SPDX-License-Identifier: MIT
// case: scanf
// flags: -DHOW="scanf(\"%d\",&number)"
// expect: all=inconclusive at=call says="scanf"
//
// case: getchar
// flags: -DHOW="number=getchar()"
// expect: all=refused at=call says="stdin"
//
// case: fopen
// flags: -DHOW="number=fopen(\"/etc/passwd\",\"r\")!=0"
// expect: all=inconclusive at=call says="fopen"
//
// case: read
// flags: -DHOW="number=(int)read(0,&number,1)"
// expect: all=inconclusive at=call says="read"
#include <stdio.h>
#include <unistd.h>

int main(void) {
  int number = 0;
  HOW;  // @call
  return number;
}
