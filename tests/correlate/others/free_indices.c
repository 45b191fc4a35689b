/*
 * A free list of indices, and how many are in use: taken in one section, counted in the next. Whether what replaces an index is
 * made of it is not seen. GOOD: in one section; an index that is put back is not stale.
 *
 * EXPECT: extended-race fl.head
 * PART
 * ALWAYS: clang-O0
 */
#include <pthread.h>
#include <stdio.h>
#define MAX 8
static struct { int head; int next[MAX]; int in_use; } fl;
static pthread_mutex_t fl_mu = PTHREAD_MUTEX_INITIALIZER;
static int take(void)
{
	pthread_mutex_lock(&fl_mu);
	int i = fl.head;
	if (i >= 0) {
		fl.head = fl.next[i];
#ifndef GOOD
		pthread_mutex_unlock(&fl_mu);
		pthread_mutex_lock(&fl_mu);
#endif
		fl.in_use++;
	}
	pthread_mutex_unlock(&fl_mu);
	return i;
}
static void give(int i)
{
	pthread_mutex_lock(&fl_mu);
	fl.next[i] = fl.head;
	fl.head = i;
	fl.in_use--;
	pthread_mutex_unlock(&fl_mu);
}
static int consistent(void)
{
	int free_n = 0;
	pthread_mutex_lock(&fl_mu);
	for (int i = fl.head; i >= 0; i = fl.next[i]) free_n++;
	int ok = free_n + fl.in_use == MAX;
	pthread_mutex_unlock(&fl_mu);
	return ok;
}
static void *user(void *a) { for (int k = 0; k < 4; k++) { int i = take(); if (i >= 0) give(i); } return a; }
static void *check(void *a) { for (int k = 0; k < 4; k++) if (!consistent()) puts("leak"); return a; }
int main(void)
{
	pthread_t t[3];
	for (int i = 0; i < MAX; i++) fl.next[i] = i + 1 < MAX ? i + 1 : -1;
	pthread_create(&t[0], 0, user, 0); pthread_create(&t[1], 0, user, 0); pthread_create(&t[2], 0, check, 0);
	for (int i = 0; i < 3; i++) pthread_join(t[i], 0);
}
