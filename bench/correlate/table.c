/* Two threads count words in a table of lists under sixteen locks: strings, the heap, locks. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LISTS 1024
#define LOCKS 16

struct entry {
	char key[16];
	int count;
	struct entry *next;
};

static struct entry *table[LISTS];
static pthread_mutex_t locks[LOCKS];

static void add(const char *key)
{
	unsigned hash = 5381;
	struct entry *e;

	for (const char *p = key; *p; p++)
		hash = hash * 33 + (unsigned char)*p;
	hash %= LISTS;
	pthread_mutex_lock(&locks[hash % LOCKS]);
	for (e = table[hash]; e && strcmp(e->key, key); e = e->next)
		;
	if (!e) {
		e = calloc(1, sizeof(*e));
		strcpy(e->key, key);
		e->next = table[hash];
		table[hash] = e;
	}
	e->count++;
	pthread_mutex_unlock(&locks[hash % LOCKS]);
}

static void *work(void *arg)
{
	unsigned seed = (unsigned)(long)arg;
	char key[16];

	for (int i = 0; i < 20000; i++) {
		seed = seed * 1103515245 + 12345;
		snprintf(key, sizeof(key), "k%u", (seed >> 16) % 3000);
		add(key);
	}
	return NULL;
}

int main(void)
{
	pthread_t t[2];
	int all = 0;

	for (int i = 0; i < LOCKS; i++)
		pthread_mutex_init(&locks[i], NULL);
	for (long i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, work, (void *)(i + 1));
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	for (int i = 0; i < LISTS; i++) {
		for (struct entry *e = table[i]; e; e = e->next)
			all += e->count;
	}
	printf("%d\n", all);
	return 0;
}
