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
// case: snprintf_over_what_it_prints
// flags: '-DONE=snprintf(text,30,"x%s",text)' '-DOTHER=nothing()'
// expect: c++20=violated:memory says="prints text over what it prints"
// case: sprintf_over_the_end_of_what_it_prints
// flags: '-DONE=sprintf(text,"%d%.3s",12,text+4)' '-DOTHER=nothing()'
// expect: c++20=violated:memory
// case: snprintf_up_to_what_it_prints
// flags: '-DONE=snprintf(text+40,5,"x%s",text+45)' '-DOTHER=nothing()'
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
// case: strtok_of_one_string
// flags: '-DONE=strtok(text,"_")' '-DOTHER=used=(long)text[2]'
// expect: c++20=violated:data-race
// case: strtok_of_two_strings
// flags: '-DONE=strtok(text,"_")' '-DOTHER=char mine[]="a_b";strtok(mine,"_")'
// expect: c++20=violated:data-race
// case: strtok_of_no_string
// flags: '-DONE=nothing()' '-DOTHER=rest=strtok(NULL,"_")'
// expect: c++20=violated:memory
// case: strtok_goes_on_where_another_begins
// flags: '-DONE=strtok(text,"_")' '-DOTHER=char mine[]="a_b";strtok(mine,"_");strtok(NULL,"_")'
// expect: c++20=violated:data-race
// case: snprintf_of_nothing_within_the_text
// flags: '-DONE=snprintf(text,9,"x%.0s",text+1)' '-DOTHER=nothing()'
// expect: c++20=holds
// case: memccpy
// flags: '-DONE=memccpy(text,"ab_",95,9)' '-DOTHER=used=(long)text[2]'
// expect: c++20=violated:data-race
// case: memccpy_up_to_the_character
// flags: '-DONE=memccpy(text,"ab_",95,9)' '-DOTHER=used=(long)text[3]'
// expect: c++20=holds
// case: memccpy_to_where_it_reads
// flags: '-DONE=memccpy(text+1,text,95,9)' '-DOTHER=nothing()'
// expect: c++20=violated:memory
// case: swab
// flags: '-DONE=swab("abc",text,3)' '-DOTHER=used=(long)text[1]'
// expect: c++20=violated:data-race
// case: swab_leaves_an_odd_byte
// flags: '-DONE=swab("abc",text,3)' '-DOTHER=used=(long)text[2]'
// expect: c++20=holds
// case: rawmemchr
// flags: '-DONE=text[1]=32' '-DOTHER=used=(long)rawmemchr(text,95)'
// expect: c++20=violated:data-race
// case: strverscmp
// flags: '-DONE=text[1]=32' '-DOTHER=used=(long)strverscmp(text,"12")'
// expect: c++20=violated:data-race
// case: strtoimax
// flags: '-DONE=text[1]=32' '-DOTHER=used=(long)strtoimax(text,NULL,10)'
// expect: c++20=violated:data-race
// case: strtoumax_tells_where
// flags: '-DONE=strtoumax("7x",&rest,10)' '-DOTHER=rest=text'
// expect: c++20=violated:data-race
// case: lfind_reads_how_many
// flags: '-DONE=count=2' '-DOTHER=used=(long)lfind(text,numbers,&count,sizeof(int),compare)'
// expect: c++20=violated:data-race
// case: lfind_reads_what_it_compares
// flags: '-DONE=numbers[0]=2' '-DOTHER=int key=1;used=(long)lfind(&key,numbers,&count,sizeof(int),compare)'
// expect: c++20=violated:data-race
// case: drand48_r
// flags: '-DONE=srand48_r(7,&generator)' '-DOTHER=lrand48_r(&generator,&used)'
// expect: c++20=violated:data-race
// case: mrand48_r_tells_the_number
// flags: '-DONE=mrand48_r(&generator,&used)' '-DOTHER=used=5'
// expect: c++20=violated:data-race
// case: erand48
// flags: '-DONE=used=nrand48(words_of_48)' '-DOTHER=used=(long)erand48(words_of_48)'
// expect: c++20=violated:data-race
// case: jrand48_reads_its_state
// flags: '-DONE=used=jrand48(words_of_48)' '-DOTHER=words_of_48[2]=5'
// expect: c++20=violated:data-race
// case: mbrtowc_reads_a_character
// flags: '-DONE=text[0]=32' '-DOTHER=mbstate_t s={0};used=(long)mbrtowc(wide+4,text,5,&s)'
// expect: c++20=violated:data-race
// case: mbrtowc_reads_no_more
// flags: '-DONE=text[1]=32' '-DOTHER=mbstate_t s={0};used=(long)mbrtowc(wide+4,text,5,&s)'
// expect: c++20=holds
// case: mbrtowc_writes_a_character
// flags: '-DONE=wide[4]=32' '-DOTHER=mbstate_t s={0};used=(long)mbrtowc(wide+4,text,5,&s)'
// expect: c++20=violated:data-race
// case: mbrtowc_writes_no_more
// flags: '-DONE=wide[5]=32' '-DOTHER=mbstate_t s={0};used=(long)mbrtowc(wide+4,text,5,&s)'
// expect: c++20=holds
// case: mbrtowc_without_a_state_shares_one
// flags: '-DONE=wchar_t c;mbrtowc(&c,"a",1,NULL)' '-DOTHER=used=(long)mbrtowc(wide+4,text,5,NULL)'
// expect: c++20=violated:data-race
// case: mbtowc_and_mblen_share_none
// flags: '-DONE=mblen("a",1)' '-DOTHER=used=(long)mbtowc(wide+4,text,5)'
// expect: c++20=holds
// case: wcrtomb
// flags: '-DONE=mbstate_t s={0};wcrtomb(text,65,&s)' '-DOTHER=used=(long)text[0]'
// expect: c++20=violated:data-race
// case: wctomb_writes_no_more
// flags: '-DONE=wctomb(text,65)' '-DOTHER=used=(long)text[1]'
// expect: c++20=holds
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
#define _GNU_SOURCE
#include <assert.h>
#include <fenv.h>
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>
#include <wchar.h>

static char text[64] = "12_abc";
static char* rest = text;
static int numbers[3] = {3, 1, 2};
static wchar_t wide[8] = L"ab";
static pthread_key_t key __attribute__((unused));
static size_t count __attribute__((unused)) = 3;
static struct drand48_data generator __attribute__((unused));
static unsigned short words_of_48[3] __attribute__((unused)) = {1, 2, 3};
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
  char words[] = ",one,,two";
  assert(strcmp(strtok(words, ","), "one") == 0 && strcmp(strtok(NULL, ","), "two") == 0);
  assert(strtok(NULL, ",") == NULL && strtok(NULL, ",") == NULL);
  assert(memccpy(to, "ab_c", '_', 4) == to + 3 && memccpy(to, "ab", '_', 2) == NULL);
  swab("badc", to, 4);
  assert(memcmp(to, "abcd", 4) == 0);
  assert(rawmemchr("abc", 'c') != NULL && strverscmp("a9", "a10") < 0);
  assert(strtoimax("-5", NULL, 10) == -5 && strtoumax("5", NULL, 10) == 5);
  struct drand48_data own;
  long drawn;
  double fraction;
  assert(srand48_r(1, &own) == 0 && lrand48_r(&own, &drawn) == 0 && drawn >= 0);
  assert(mrand48_r(&own, &drawn) == 0 && drand48_r(&own, &fraction) == 0 && fraction < 1);
  unsigned short words48[3] = {0, 0, 0};
  assert(nrand48(words48) == 0 && words48[0] == 11 && jrand48(words48) == 4232237);
  assert(erand48(words48) < 1);
  assert(fegetround() == FE_TONEAREST);
  mbstate_t state = {0};
  wchar_t character;
  assert(mbrtowc(&character, "ab", 2, &state) == 1 && character == L'a' && mbsinit(&state));
  assert(mbrtowc(&character, "", 1, NULL) == 0 && mbrtowc(NULL, NULL, 0, &state) == 0);
  assert(mbrlen("a", 1, &state) == 1 && mbrlen("a", 0, &state) == (size_t)-2);
  assert(mbtowc(&character, "b", 1) == 1 && character == L'b' && mbtowc(NULL, NULL, 0) == 0);
  assert(mblen("", 1) == 0 && mblen("a", 1) == 1 && wctomb(NULL, L'a') == 0);
  assert(wctomb(to, L'c') == 1 && to[0] == 'c' && wcrtomb(to, L'd', &state) == 1 && to[0] == 'd');
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
