/* sanitized.h - what a suite must know of the sanitizer that it runs under, and of threads. */
#ifndef TEST_SANITIZED_H
#define TEST_SANITIZED_H

#ifndef __has_feature /* of Clang */
#define __has_feature(name) 0
#endif

#if defined(__SANITIZE_THREAD__) || __has_feature(thread_sanitizer)
#define HAS_TSAN 1
#else
#define HAS_TSAN 0
#endif
/* By TSan or ASan: frames are several times as large, calls take as much longer. */
#if HAS_TSAN || defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
#define IS_SANITIZED 1
#else
#define IS_SANITIZED 0
#endif

/* Threads of the suite's own. */
#if !defined(__EMSCRIPTEN__) || defined(__EMSCRIPTEN_PTHREADS__)
#define HAS_PTHREADS 1
#else
#define HAS_PTHREADS 0
#endif
/* A system with processes, where another thread may change elements beside a call: a race, which means to be one. */
#if !defined(__EMSCRIPTEN__) && defined(__unix__)
#define HAS_PROCESSES 1
#else
#define HAS_PROCESSES 0
#endif
#define MAY_RACE (HAS_PROCESSES && !HAS_TSAN)

#endif
