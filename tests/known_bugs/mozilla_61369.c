/*
 * Mozilla 61369: the new thread uses mThread before PR_CreateThread's result is stored; the store
 * may come later.
 *
 * FAILS: exit
 * CAUSE: mThread|have|m
 * REMEDY: 'm'|none
 */
#include <pthread.h>
#include <stdio.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_t mThread;
static int have, wrong;
static void *Main(void *a)
{
	pthread_mutex_lock(&m);
	if (!have || !pthread_equal(mThread, pthread_self()))
		wrong = 1;
	pthread_mutex_unlock(&m);
	return a;
}
int main(void)
{
	pthread_t t;
#ifdef FIXED
	pthread_mutex_lock(&m);
#endif
	pthread_create(&t, NULL, Main, NULL);
#ifndef FIXED
	pthread_mutex_lock(&m);
#endif
	mThread = t;
	have = 1;
	pthread_mutex_unlock(&m);
	pthread_join(t, NULL);
	if (wrong) {
		fputs("not the thread that was begun\n", stderr);
		return 1;
	}
	return 0;
}
