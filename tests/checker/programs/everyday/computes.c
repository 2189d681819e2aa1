// SPDX-License-Identifier: MIT
// Functions that compute and do nothing else, those among them that compilers call: as they are.
//
// case: all_of_them
// expect: all=holds executions=1
//
// case: a_function_that_is_not_there
// flags: -DWEAK
// expect: all=holds executions=1
//
// case: a_function_that_must_be_there
// flags: -DWEAK -DCALLED
// expect: all=violated:memory
//
// case: a_variable_of_a_library
// flags: -DVARIABLE
// expect: all=inconclusive says="'program_invocation_name' is not modelled"
#define _GNU_SOURCE
#include <assert.h>
#include <complex.h>
#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <wctype.h>

volatile float f = 0.5F;
volatile double d = 0.5;
volatile long double l = 0.5L;
volatile double complex z = 0.5;
volatile float complex y = 0.5F;
volatile long double complex x = 0.5L;
__extension__ volatile __float128 q = 0.5;

__attribute__((weak)) extern void hook(void);

int main(void) {
#ifdef CALLED
  hook();
#elif defined(WEAK)
  if (hook != NULL) hook();
#endif
#ifdef VARIABLE
  if (program_invocation_name == NULL) return 1;
#endif
  assert(atan2f(f, f) > 0 && erf(d) > 0 && erff(f) > 0 && erfcl(l) > 0 && asinh(d) > 0);
  assert(acoshf(2 * f) == 0 && atanhl(l) > 0 && remainder(d, d) == 0 && nextafterf(f, 1) > f);
  assert(tgamma(d) > 1 && lgamma(d) > 0 && scalbnf(f, 1) == 1 && fdiml(l, l) == 0 && y1(d) < 0);
  assert(cabs(z) == d && cargf(y) == 0 && creall(cexpl(x)) > 1 && cimag(csin(z)) == 0);
  z = z * z / z;
  y = y * y / y;
  x = x * x / x;
  q = q * q / q + q - q;
  assert(q == d && q < 1 && (long)(q * 4) == 2 && (double)q == 0.5 && q + 1 > (__float128)l);
  assert(towupper(L'a') == L'A' && towlower(L'A') == L'a' && iswalpha(L'x') && !iswdigit(L'x'));
  return 0;
}
