/*
 * Is it among the observers? If not it is added, in the next section, which only asks whether there is room. GOOD: in one.
 *
 * EXPECT: extended-race obs nobs
 * ALWAYS: gcc-O0 gcc-O2
 */
#include <pthread.h>
#include <stdio.h>
#define MAX 16
static int obs[MAX], nobs;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int has(int id)
{
	int found = 0;
	pthread_mutex_lock(&m);
	for (int i = 0; i < nobs; i++) if (obs[i] == id) found = 1;
	pthread_mutex_unlock(&m);
	return found;
}
static void add(int id)
{
	pthread_mutex_lock(&m);
	if (nobs < MAX) obs[nobs++] = id;
	pthread_mutex_unlock(&m);
}
static void subscribe(int id)
{
#ifdef GOOD
	int found = 0;
	pthread_mutex_lock(&m);
	for (int i = 0; i < nobs; i++) if (obs[i] == id) found = 1;
	if (!found && nobs < MAX) obs[nobs++] = id;
	pthread_mutex_unlock(&m);
#else
	if (!has(id)) add(id);
#endif
}
static void *one(void *arg)
{
	for (int i = 0; i < 4; i++) subscribe(i + (int)(long)arg);
	return NULL;
}
int main(void)
{
	pthread_t a, b;
	(void)has; (void)add;
	pthread_create(&a, 0, one, (void *)1);
	pthread_create(&b, 0, one, (void *)3);
	pthread_join(a, 0);
	pthread_join(b, 0);
	printf("%d\n", nobs);
	return 0;
}
