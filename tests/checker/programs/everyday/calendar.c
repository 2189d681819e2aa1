// SPDX-License-Identifier: MIT
// The calendar: what its functions read and write counts like any access, and those that answer
// with a place of the library's own race with each other ([time.syn]; C11 7.27.3).
//
// case: gmtime_and_localtime_share_their_answer
// flags: '-DONE=gmtime(&moment)' '-DOTHER=localtime(&moment)'
// expect: all=violated:data-race says="answer_of_gmtime_and_localtime"
//
// case: the_answer_is_read_while_another_asks
// flags: '-DONE=gmtime(&moment)' '-DOTHER=(lock(), use = gmtime(&moment), unlock(), assert(use->tm_mon == 0))'
// expect: all=violated:data-race
//
// case: ctime_and_asctime_share_their_text
// flags: '-DONE=ctime(&moment)' '-DOTHER=asctime(&broken_down)'
// expect: all=violated:data-race says="answer_of_asctime_and_ctime"
//
// case: ctime_uses_the_moment_of_localtime_too
// flags: '-DONE=ctime(&moment)' '-DOTHER=localtime(&moment)'
// expect: all=violated:data-race says="answer_of_gmtime_and_localtime"
//
// case: each_with_a_place_of_its_own
// flags: '-DONE=with_own_places()' '-DOTHER=with_own_places()'
// expect: all=holds
//
// case: one_after_the_other
// flags: '-DONE=(lock(), ctime(&moment), unlock())' '-DOTHER=(lock(), ctime(&moment), unlock())'
// expect: all=holds
//
// case: localtime_r_writes
// flags: '-DONE=localtime_r(&moment, &broken_down)' '-DOTHER=assert(broken_down.tm_wday < 9)'
// expect: all=violated:data-race
//
// case: gmtime_r_reads
// flags: '-DONE=gmtime_r(&moment, &broken_down)' '-DOTHER=moment = 5'
// expect: all=violated:data-race
//
// case: mktime_makes_it_regular
// flags: '-DONE=mktime(&broken_down)' '-DOTHER=assert(broken_down.tm_wday < 9)'
// expect: all=violated:data-race
//
// case: timegm_makes_it_regular
// flags: '-DONE=timegm(&broken_down)' '-DOTHER=assert(broken_down.tm_yday < 9)'
// expect: all=violated:data-race
//
// case: asctime_r_writes
// flags: '-DONE=asctime_r(&broken_down, text)' '-DOTHER=text[0] = 1'
// expect: all=violated:data-race
//
// case: ctime_r_writes
// flags: '-DONE=ctime_r(&moment, text)' '-DOTHER=text[0] = 1'
// expect: all=violated:data-race
//
// case: strftime_writes
// flags: '-DONE=strftime(text, sizeof text, "%Y", &broken_down)' '-DOTHER=text[4] = 1'
// expect: all=violated:data-race
//
// case: strftime_writes_no_more_than_the_text
// flags: '-DONE=strftime(text, sizeof text, "%Y", &broken_down)' '-DOTHER=text[5] = 1'
// expect: all=holds
//
// case: strftime_reads
// flags: '-DONE=strftime(text, sizeof text, "%Y", &broken_down)' '-DOTHER=broken_down.tm_year = 1'
// expect: all=violated:data-race
//
// case: strftime_of_what_was_set
// flags: '-DONE=year_alone("%Y")' -DOTHER=nothing()
// expect: all=holds
//
// case: strftime_of_what_was_not
// flags: '-DONE=year_alone("%H")' -DOTHER=nothing()
// expect: all=violated:memory
//
// case: they_do_what_they_should
// flags: -DONE=nothing() -DOTHER=each()
// expect: all=holds
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static time_t moment = 86400 + 3661;
static struct tm broken_down = {.tm_mday = 1, .tm_year = 70};
static char text[64];
struct tm* use;

void nothing(void);
void nothing(void) {}
void lock(void);
void lock(void) { pthread_mutex_lock(&mutex); }
void unlock(void);
void unlock(void) { pthread_mutex_unlock(&mutex); }

void with_own_places(void);
void with_own_places(void) {
  struct tm own;
  char line[64];
  tzset();
  assert(gmtime_r(&moment, &own) == &own && own.tm_mday == 2 && own.tm_hour == 1);
  assert(strftime(line, sizeof line, "%H:%M:%S", &own) == 8 && strcmp(line, "01:01:01") == 0);
  assert(localtime_r(&moment, &own) == &own && mktime(&own) == moment);
  asctime_r(&own, line);
  assert(line[strlen(line) - 1] == '\n');
}

void year_alone(const char* format);
void year_alone(const char* format) {
  struct tm own;
  char line[64];
  own.tm_year = 95;
  strftime(line, sizeof line, format, &own);
  printf("%s", line);
}

void each(void);
void each(void) {
  char line[64];
  assert(strcmp(asctime(gmtime(&moment)), "Fri Jan  2 01:01:01 1970\n") == 0);
  assert(strcmp(ctime(&moment), asctime(localtime(&moment))) == 0);
  assert(strcmp(ctime_r(&moment, line), ctime(&moment)) == 0);
  assert(timegm(gmtime(&moment)) == moment && mktime(localtime(&moment)) == moment);
  assert(strftime(line, 3, "%Y", &broken_down) == 0 && strftime(NULL, 0, "%Y", &broken_down) == 0);
  assert(strftime(line, 3, "", &broken_down) == 0 && line[0] == '\0');
  time_t far = (time_t)1 << 52;
  assert(strlen(asctime(gmtime(&far))) > 25);
  far = (time_t)1 << 60;
  assert(gmtime(&far) == NULL && ctime(&far) == NULL);
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
}
