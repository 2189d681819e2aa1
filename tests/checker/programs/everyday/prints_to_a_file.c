// SPDX-License-Identifier: MIT
// What is printed goes to the two files that are always there. A file that was never opened is a
// null pointer, which ends the program.
//
// case: the_two
// flags: "-DTO=(number?stdout:stderr)"
// expect: all=holds executions=1
//
// case: a_null_pointer
// flags: -DTO=log_file
// expect: all=violated:memory at=prints
//
// case: a_null_pointer_to_fputs
// flags: -DTO=stdout '-DLINE=fputs("line",log_file)'
// expect: all=violated:memory at=line
//
// case: a_null_pointer_to_fwrite
// flags: -DTO=stdout '-DLINE=fwrite("line",1,4,log_file)'
// expect: all=violated:memory at=line
//
// case: what_has_taken_the_place_of_the_output
// flags: -DTO=stderr '-DLINE=stdout=log_file,puts("line")'
// expect: all=violated:memory at=line
//
// case: what_has_taken_the_place_of_the_output_is_printed_to
// flags: -DTO=stderr '-DLINE=stdout=log_file,printf("%d",number)'
// expect: all=violated:memory at=line
//
// case: the_other_one_has_taken_its_place
// flags: -DTO=stderr '-DLINE=stdout=stderr,puts("line")'
// expect: all=holds executions=1
//
// case: what_is_never_opened
// flags: -DTO=stderr "-DLINE=(log_file?fclose(log_file):0)"
// expect: all=holds executions=1
#include <stdio.h>

static FILE* log_file;
static int number;

int main(int count, char** words) {
  if (count > 1) log_file = fopen(words[1], "w");
  fprintf(TO, "%d\n", number);  // @prints
#ifdef LINE
  LINE;  // @line
#endif
}
