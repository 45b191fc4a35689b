/*
 * A chained hash table: the key is looked for in one section and put before the others of its chain in the next.
 * GOOD: in one section.
 *
 * EXPECT: extended-race table.bucket
 * PART
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define NB 8
struct ent { struct ent *next; char key[16]; int val; };
static struct { struct ent *bucket[NB]; int count; pthread_mutex_t lk; } table = { .lk = PTHREAD_MUTEX_INITIALIZER };
static unsigned h(const char *s) { unsigned x = 5381; while (*s) x = x * 33 + (unsigned char)*s++; return x % NB; }
static struct ent *find_nolock(const char *k) { for (struct ent *e = table.bucket[h(k)]; e; e = e->next) if (!strcmp(e->key, k)) return e; return NULL; }
static void add_nolock(const char *k, int v)
{
	struct ent *e = malloc(sizeof *e);
	strcpy(e->key, k); e->val = v; e->next = table.bucket[h(k)];
	table.bucket[h(k)] = e; table.count++;
}
static void intern(const char *k, int v)
{
	pthread_mutex_lock(&table.lk);
	struct ent *e = find_nolock(k);
#ifndef GOOD
	pthread_mutex_unlock(&table.lk);
	if (e) return;
	pthread_mutex_lock(&table.lk);
	add_nolock(k, v);
#else
	if (!e) add_nolock(k, v);
#endif
	pthread_mutex_unlock(&table.lk);
}
static const char *words[] = { "one", "two", "three", "two", "four", "one" };
static void *worker(void *arg) { for (int i = 0; i < 6; i++) intern(words[i], i); return arg; }
int main(void)
{
	pthread_t t[2];
	for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, worker, 0);
	for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
	printf("%d\n", table.count);
}
