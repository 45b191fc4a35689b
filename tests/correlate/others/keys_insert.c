/*
 * A key is looked for in one section and added in the next. Both threads add the same keys.
 *
 * EXPECT: extended-race nkeys
 * PART
 * MISSED: gcc-O0
 */
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
#define N 32
int keys[N], nkeys;
static int has(int k)
{
	for (int i = 0; i < nkeys; i++)
		if (keys[i] == k)
			return 1;
	return 0;
}
static void add(int k)
{
	keys[nkeys++] = k;
}
static void insert(int k)
{
	pthread_mutex_lock(&m);
	int f = has(k);
#ifdef GOOD
	if (!f)
		add(k);
	pthread_mutex_unlock(&m);
#else
	pthread_mutex_unlock(&m);
	if (f)
		return;
	pthread_mutex_lock(&m);
	add(k);
	pthread_mutex_unlock(&m);
#endif
}
static void *w(void *x)
{
	for (int i = 0; i < 5; i++)
		insert(i * 3);
	return x;
}

int main(void)
{
	pthread_t t[2];
	pthread_create(&t[0], 0, w, (void *)1);
	pthread_create(&t[1], 0, w, (void *)2);
	pthread_join(t[0], 0);
	pthread_join(t[1], 0);
	return 0;
}
