/*
 * What is not there is computed and stored under the write lock, after a look under the read lock. GOOD: it is looked at again.
 *
 * EXPECT: extended-race cfg.ready
 * PART
 * ALWAYS: gcc-O2
 */
#include <pthread.h>
#include <stdio.h>
struct { int ready; int value; int version; } cfg;
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static int compute(int seed) { int x = seed; for (int i = 0; i < 10; i++) x = x * 31 + i; return x; }
static int get(int seed)
{
	int v;
	pthread_rwlock_rdlock(&rw);
	int have = cfg.ready;
	v = cfg.value;
	pthread_rwlock_unlock(&rw);
	if (have) return v;
	v = compute(seed);
	pthread_rwlock_wrlock(&rw);
#ifdef GOOD
	if (cfg.ready) { v = cfg.value; pthread_rwlock_unlock(&rw); return v; }
#endif
	cfg.value = v;
	cfg.version++;
	cfg.ready = 1;
	pthread_rwlock_unlock(&rw);
	return v;
}
static void *w(void *a) { int s = *(int *)a; for (int i = 0; i < 3; i++) s ^= get(s); *(int *)a = s; return a; }
int main(void)
{
	pthread_t t[2]; int s[2] = { 3, 4 };
	for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, w, &s[i]);
	for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
	printf("%d %d\n", cfg.version, s[0] ^ s[1]);
}
