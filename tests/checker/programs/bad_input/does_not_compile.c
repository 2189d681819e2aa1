// SPDX-License-Identifier: MIT
// case: syntax_error
// expect: all=error at=bug says="error"
int main(void) {
  return missing;  // @bug
}
