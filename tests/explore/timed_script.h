/*
 * The small programs of timed_script.c: what they look like and what they tell about themselves.
 *
 * A program has a line for each thread, main first, and lines are separated by '/'. An operation is
 * a letter and a digit. Main makes the other threads, does its own line, joins those that it has
 * neither joined nor detached, and returns 0. The digit is the number of an object, 0 or 1; of
 * operations with pauses, more by 0 (they yield), 2 (the processor's), 4 (none) or 6 (they sleep); of
 * others what is said below.
 *
 *   r load an atomic       w store to it    n store 0       a add           c swap, if it is 0
 *   U add, and do not look at what was there
 *   i load; if it is odd, skip the next operation
 *   l lock a mutex         u unlock it      t try to; in vain: skip the next operation
 *   m lock it with a deadline; in vain: skip the next operation
 *   g read what the mutex guards            h write it
 *   p post a semaphore     d wait for one   D wait with a deadline
 *   v wait on the condition of a mutex      V with a deadline               s signal   b broadcast
 *   z sleep (digit: how)   y yield
 *   e end the thread       j main: join a thread (digit)    k main: detach a thread (digit)
 *   x exit (digit: status) X _exit          q quick_exit    f main: return; others: end
 *   A abort                F fail an assertion
 *
 * Loops that wait, for ever if need be:
 *   S until an atomic is not 0, with pauses     L until it is 0, and make it another: a lock
 *   O unlock that                               E as S, but twice at the most
 *   Q try to lock a mutex, with pauses          T lock with a deadline until it is locked
 *   K as L, but it looks before it tries       P the same, and tells whether it had to try again
 *   B until both atomics are not 0              N load and swap until that adds
 *   R wait for a semaphore with a deadline until it comes
 *   M under the mutex: wait on the condition with a deadline until what the mutex guards is not 0
 *
 * What a mutex guards is touched, and its condition waited for, only by who has it; else such an
 * operation does nothing. So there are no races.
 */
#ifndef TIMED_SCRIPT_H
#define TIMED_SCRIPT_H

#define THREADS 4
#define OBJECTS 2
#define LINE	32 /* characters of a line at the most, with the 0 */

/* What a thread has done that others, or who looks at the end, could tell. */
#define COUNTED "rwnaUciltmpdDvVSLOEQTRMKPBN"

struct result {
	unsigned char sum[THREADS]; /* made of all that the thread has learned */
	unsigned char at[THREADS];  /* so many counted operations are done */
	unsigned char guarded[OBJECTS];
	unsigned char atomics[OBJECTS];
	unsigned char orderly; /* main has joined all others and is about to return 0 */
};

/* The exit status tells who has ended the process, unless it is a success. */
static inline int status_of(int thread, int digit)
{
	return digit ? 16 * digit + thread : 0;
}

#endif
