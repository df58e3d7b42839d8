/* lock.h - a lock that is held for a few instructions, and what its waiters do, and those that wait for longer things: they look again, and
 * let others run meanwhile where the system can do that. Internal. */
#ifndef STRIA_LOCK_H
#define STRIA_LOCK_H

#include <stdatomic.h>

#if !defined(__EMSCRIPTEN__) && (defined(__unix__) || defined(__APPLE__))
#include <sched.h>
#define STRIA_HAS_YIELD 1
#else
#define STRIA_HAS_YIELD 0
#endif

typedef atomic_flag spin_lock;

static inline void pause_briefly(int round)
{
#if STRIA_HAS_YIELD
    if (round > 64) sched_yield(); /* the holder may not be running */
#else
    (void)round;
#endif
}

static inline void lock(spin_lock *l)
{
    for (int round = 0; atomic_flag_test_and_set_explicit(l, memory_order_acquire); round++) pause_briefly(round);
}

static inline void unlock(spin_lock *l) { atomic_flag_clear_explicit(l, memory_order_release); }

#endif
