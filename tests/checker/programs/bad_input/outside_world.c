// SPDX-License-Identifier: MIT
// Calls whose answer is not the program's own to give.
//
// case: setenv
// flags: '-DHOW=number=setenv("TZ","UTC",1)'
// expect: all=inconclusive at=call says="setenv"
//
// case: fork
// flags: -DHOW="number=fork()"
// expect: all=inconclusive at=call says="fork"
//
// case: system
// flags: -DHOW="number=system(\"true\")"
// expect: all=inconclusive at=call says="system"
//
// case: execl
// flags: -DHOW="number=execl(\"/bin/true\",\"true\",(char*)0)"
// expect: all=inconclusive at=call says="exec"
//
// case: socket
// flags: -DHOW="number=socket(AF_UNIX,SOCK_STREAM,0)"
// expect: all=inconclusive at=call says="socket"
//
// case: signal
// flags: -DHOW="number=raise(SIGINT)"
// expect: all=inconclusive at=call says="signal"
//
// case: raise
// flags: -DHOW="number=raise(SIGTERM)"
// expect: all=inconclusive at=call says="raise"
//
// case: mprotect
// flags: -DHOW="number=mprotect(0,4096,PROT_READ)"
// expect: all=inconclusive at=call says="maps memory"
//
// case: getcontext
// flags: -DHOW="static ucontext_t there;number=getcontext(&there)"
// expect: all=inconclusive at=call says="getcontext"
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

int main(void) {
  int number = 0;
  HOW;  // @call
  return number;
}
