/*
 * Two threads, A and B, that run in parallel; a program defines what each of them does.
 *
 *	inc(x)      read and written, depending on what it was
 *	A_TO_B      what A did so far happens before what B does next: signal() and await()
 */
#ifndef PAIR_H
#define PAIR_H

#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

static void a(void);
static void b(void);

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
static sem_t to_a, to_b;

#define LOCK(l) pthread_mutex_lock(&(l))
#define UNLOCK(l) pthread_mutex_unlock(&(l))

static void *run_a(void *arg)
{
	a();
	return arg;
}

static void *run_b(void *arg)
{
	b();
	return arg;
}

int main(void)
{
	pthread_t first, second;

	sem_init(&to_a, 0, 0);
	sem_init(&to_b, 0, 0);
	pthread_create(&first, NULL, run_a, NULL);
	pthread_create(&second, NULL, run_b, NULL);
	pthread_join(first, NULL);
	pthread_join(second, NULL);
	(void)m;
	(void)n;
	return 0;
}

#endif
