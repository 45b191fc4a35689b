/*
 * A free slot is looked for, with the lock for reading, by a function that returns its number; it is taken with the lock for
 * writing. GOOD: all with the lock for writing.
 *
 * EXPECT: extended-race table
 * ALWAYS: gcc-O0
 */
#include <pthread.h>
#include <stdio.h>
#define SLOTS 8
static struct session { int used; int user; } table[SLOTS];
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static int find_free(void)
{
	int i;
	for (i = 0; i < SLOTS; i++)
		if (!table[i].used) break;
	return i < SLOTS ? i : -1;
}
static int login(int user)
{
	int s;
#ifndef GOOD
	pthread_rwlock_rdlock(&rw);
	s = find_free();
	pthread_rwlock_unlock(&rw);
	if (s < 0) return -1;
	pthread_rwlock_wrlock(&rw);
#else
	pthread_rwlock_wrlock(&rw);
	s = find_free();
	if (s < 0) { pthread_rwlock_unlock(&rw); return -1; }
#endif
	table[s].used = 1;
	table[s].user = user;
	pthread_rwlock_unlock(&rw);
	return s;
}
static void logout(int s)
{
	pthread_rwlock_wrlock(&rw);
	table[s].used = 0;
	pthread_rwlock_unlock(&rw);
}
static void *user(void *arg)
{
	int id = (int)(long)arg;
	for (int i = 0; i < 3; i++) {
		int s = login(id);
		if (s >= 0 && i < 2) logout(s);
	}
	return NULL;
}
int main(void)
{
	pthread_t t[3];
	for (long i = 0; i < 3; i++) pthread_create(&t[i], NULL, user, (void *)(i + 1));
	for (int i = 0; i < 3; i++) pthread_join(t[i], NULL);
	return 0;
}
