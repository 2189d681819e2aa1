// SPDX-License-Identifier: MIT
// Two threads at one string without a lock: what functions of the C library read and write counts
// like any access, and no more than that does.
//
// case: strncpy_and_printf
// flags: '-DONE=strncpy(text,"x",5)' '-DOTHER=printf("%d:%s",1,text)'
// expect: c++20=violated:data-race
// case: printf_up_to_a_precision
// flags: '-DONE=strcat(text,"x")' '-DOTHER=printf("%.3s",text)'
// expect: c++20=holds
// case: snprintf_and_atoi
// flags: '-DONE=snprintf(text,30,"%d",5)' '-DOTHER=used=atoi(text)'
// expect: c++20=violated:data-race
// case: snprintf_that_is_cut_short
// flags: '-DONE=snprintf(text+10,3,"%s","much_more")' '-DOTHER=memset(text+13,1,4)'
// expect: c++20=holds
// case: strcat_and_strcmp
// flags: '-DONE=strcat(text,"x")' '-DOTHER=used=(long)strcmp(text,"12_abc")'
// expect: c++20=violated:data-race
// case: strcmp_up_to_the_difference
// flags: '-DONE=strcat(text,"x")' '-DOTHER=used=(long)strcmp(text,"13")'
// expect: c++20=holds
// case: strtok_r_and_strlen
// flags: '-DONE=strtok_r(text,"_",&rest)' '-DOTHER=used=(long)strlen(text)'
// expect: c++20=violated:data-race
// case: strdup
// flags: '-DONE=text[2]=32' '-DOTHER=free(strdup(text))'
// expect: c++20=violated:data-race
// case: fwrite
// flags: '-DONE=text[2]=32' '-DOTHER=fwrite(text,1,3,stdout)'
// expect: c++20=violated:data-race
// case: qsort
// flags: '-DONE=qsort(numbers,3,sizeof(int),compare)' '-DOTHER=printf("%d",numbers[1])'
// expect: c++20=violated:data-race
// case: wide
// flags: '-DONE=wmemset(wide,65,2)' '-DOTHER=used=(long)wcslen(wide)'
// expect: c++20=violated:data-race
// case: strtol_tells_where
// flags: '-DONE=strtol("7x",&rest,10)' '-DOTHER=rest=text'
// expect: c++20=violated:data-race
// case: posix_memalign_tells_where
// flags: '-DONE=if(posix_memalign((void**)&rest,16,8))abort()' '-DOTHER=rest=text'
// expect: c++20=violated:data-race
// case: pthread_key_create_tells_which
// flags: '-DONE=pthread_key_create(&key,NULL)' '-DOTHER=used=(long)key'
// expect: c++20=violated:data-race
// case: each_does_what_it_should
// flags: '-DONE=nothing()' '-DOTHER=all()'
// expect: all=holds
#include <assert.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <wchar.h>

static char text[64] = "12_abc";
static char* rest = text;
static int numbers[3] = {3, 1, 2};
static wchar_t wide[8] = L"ab";
static pthread_key_t key __attribute__((unused));
long used;  // or the compiler leaves out the call of a function that only looks

static int compare(const void* a, const void* b) { return *(const int*)a - *(const int*)b; }
static void nothing(void) {}

static void all(void) {
  char to[32];
  assert(snprintf(to, 20, "%-*.*s|%d %5.2f %lld%%\n", 3, 2, "abc", 4, 2.5, 7LL) == 15);
  assert(strcmp(to, "ab |4  2.50 7%\n") == 0);
  assert(snprintf(to, 4, "%s", "abcdef") == 6 && strcmp(to, "abc") == 0);
  assert(strcmp(strncpy(to, "ab", 5), "ab") == 0 && to[4] == '\0');
  assert(strcmp(strcat(to, "cd"), "abcd") == 0);
  assert(strcmp(strncat(to, "efgh", 2), "abcdef") == 0);
  assert(stpcpy(to, "xyz") == to + 3);
  assert(strncmp("abc", "abd", 2) == 0 && strncmp("abc", "abd", 3) < 0);
  assert(strcasecmp("ABC", "abc") == 0 && strncasecmp("ABx", "aby", 2) == 0);
  assert(strchr(to, 'z') == to + 2 && strchr(to, 'q') == NULL && strrchr(to, 'x') == to);
  assert(strstr("haystack", "st") != NULL && strspn("aab", "a") == 2 && strcspn("aab", "b") == 2);
  char line[] = "a,b,,c";
  char* at = line;
  assert(strcmp(strsep(&at, ","), "a") == 0 && strcmp(at, "b,,c") == 0);
  char* save;
  assert(strcmp(strtok_r(at, ",", &save), "b") == 0);
  assert(strcmp(strtok_r(NULL, ",", &save), "c") == 0 && strtok_r(NULL, ",", &save) == NULL);
  char* end;
  assert(strtol("12x", &end, 10) == 12 && *end == 'x' && atoi("-7") == -7 && atof("2.5") == 2.5);
  int exponent;
  assert(frexp(8.0, &exponent) == 0.5 && exponent == 4);
  qsort(numbers, 3, sizeof numbers[0], compare);
  assert(numbers[0] == 1 && numbers[1] == 2 && numbers[2] == 3);
  char* copy = strndup("copied", 4);
  assert(strcmp(copy, "copi") == 0);
  free(copy);
  assert(wcslen(wide) == 2 && wcscmp(wide, L"ab") == 0);
  assert(memchr("abc", 'b', 3) != NULL && strnlen("abc", 2) == 2);
}

static void* run(void* unused) {
  (void)unused;
  ONE;
  return NULL;
}

int main(void) {
  pthread_t other;
  pthread_create(&other, NULL, run, NULL);
  OTHER;
  pthread_join(other, NULL);
  all();
}
