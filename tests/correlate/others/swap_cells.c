/*
 * Two cells change places by a function that reads one and one that writes one, each under the lock: what others put there
 * meanwhile is lost. GOOD: one critical section.
 *
 * EXPECT: extended-race heap
 * PART
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
struct board {
	pthread_mutex_t mu;
	int *cell;
	int n;
};
static int get(struct board *b, int i)
{
	pthread_mutex_lock(&b->mu);
	int v = b->cell[i];
	pthread_mutex_unlock(&b->mu);
	return v;
}
static void set(struct board *b, int i, int v)
{
	pthread_mutex_lock(&b->mu);
	b->cell[i] = v;
	pthread_mutex_unlock(&b->mu);
}
static void swap(struct board *b, int i, int j)
{
#ifdef GOOD
	pthread_mutex_lock(&b->mu);
	int t = b->cell[i];
	b->cell[i] = b->cell[j];
	b->cell[j] = t;
	pthread_mutex_unlock(&b->mu);
#else
	int t = get(b, i);
	set(b, i, get(b, j));
	set(b, j, t);
#endif
}
static void *shuffle(void *arg)
{
	struct board *b = arg;
	unsigned r = 7;
	for (int k = 0; k < 16; k++) {
		r = r * 1103515245 + 12345;
		swap(b, (r >> 8) % b->n, (r >> 16) % b->n);
	}
	return NULL;
}
int main(void)
{
	struct board b = { .n = 8 };
	pthread_t t[2];
	int sum = 0;
	(void)get;
	(void)set;
	pthread_mutex_init(&b.mu, NULL);
	b.cell = malloc(8 * sizeof *b.cell);
	for (int i = 0; i < 8; i++)
		b.cell[i] = i + 1;
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, shuffle, &b);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	for (int i = 0; i < 8; i++)
		sum += b.cell[i];
	printf("%d\n", sum);
	free(b.cell);
	return 0;
}
