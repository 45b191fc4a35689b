/*
 * Two threads sort halves of an array by quicksort with a comparator, then one merges.
 *
 *   sort [ELEMENTS]      prints a checksum
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct item {
	unsigned key;
	float weight;
};

static struct item *items;
static long n = 200000;

static int before(const struct item *a, const struct item *b)
{
	return a->key != b->key ? a->key < b->key : a->weight < b->weight;
}

static void sort(struct item *from, long len, int (*less)(const struct item *, const struct item *))
{
	struct item pivot = from[len / 2];
	long i = 0, j = len - 1;

	while (i <= j) {
		while (less(&from[i], &pivot))
			i++;
		while (less(&pivot, &from[j]))
			j--;
		if (i <= j) {
			struct item swap = from[i];

			from[i++] = from[j];
			from[j--] = swap;
		}
	}
	if (j > 0)
		sort(from, j + 1, less);
	if (i < len - 1)
		sort(from + i, len - i, less);
}

static void *half(void *arg)
{
	sort(arg ? items + n / 2 : items, n / 2, before);
	return NULL;
}

int main(int argc, char **argv)
{
	unsigned long sum = 0;
	pthread_t other;
	long i = 0, j;

	if (argc > 1)
		n = atol(argv[1]) & ~1l;
	items = malloc(sizeof(*items) * (size_t)n);
	if (!items)
		return 1;
	for (long k = 0; k < n; k++)
		items[k] = (struct item){ (unsigned)(k * 2654435761u), (float)(k % 97) };
	pthread_create(&other, NULL, half, items);
	half(NULL);
	pthread_join(other, NULL);
	for (j = n / 2; i < n / 2 || j < n;)
		sum = sum * 31 + (j == n || (i < n / 2 && before(&items[i], &items[j])) ? items[i++].key
											 : items[j++].key);
	printf("%lu\n", sum);
	free(items);
	return 0;
}
