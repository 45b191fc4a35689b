/*
 * The key of an entry is replaced in one section and its value in the next; who looks a key up reads the value of the
 * entry that has it. GOOD: in one section.
 *
 * EXPECT: extended-race tab
 * ALWAYS: gcc-O0 gcc-O2
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#define N 4
static struct entry { char key[12]; int value; } tab[N] = { { "a", 1 }, { "b", 2 }, { "c", 3 }, { "d", 4 } };
static pthread_mutex_t tm = PTHREAD_MUTEX_INITIALIZER;
static void replace(int i, const char *key, int value)
{
	pthread_mutex_lock(&tm);
	strncpy(tab[i].key, key, sizeof tab[i].key - 1);
#ifndef GOOD
	pthread_mutex_unlock(&tm);
	pthread_mutex_lock(&tm);
#endif
	tab[i].value = value;
	pthread_mutex_unlock(&tm);
}
static int find(const char *key, int *value)
{
	int found = 0;
	pthread_mutex_lock(&tm);
	for (int i = 0; i < N && !found; i++)
		if (!strcmp(tab[i].key, key)) { *value = tab[i].value; found = 1; }
	pthread_mutex_unlock(&tm);
	return found;
}
static void *updater(void *a)
{
	char k[12];
	for (int i = 0; i < 8; i++) { snprintf(k, sizeof k, "k%d", i); replace(i % N, k, i * 11); }
	return a;
}
static void *looker(void *a)
{
	int v = 0;
	static const char *const keys[] = { "k1", "b", "k5", "d" };
	for (int i = 0; i < 4; i++) if (find(keys[i], &v)) printf("%s %d\n", keys[i], v);
	return a;
}
int main(void)
{
	pthread_t u, l;
	pthread_create(&u, NULL, updater, NULL);
	pthread_create(&l, NULL, looker, NULL);
	pthread_join(u, NULL);
	pthread_join(l, NULL);
	return 0;
}
