/*
 * Two threads count words in tries of their own, by recursion; the results are added up at the end.
 *
 *   trie [WORDS]      prints the number of nodes and of words
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct node {
	struct node *next[4];
	unsigned count;
};

static long words = 200000;
static long nodes[2], found[2];

static struct node *insert(struct node *at, uint64_t word, int length, long *made)
{
	if (!at) {
		at = calloc(1, sizeof(*at));
		if (!at)
			abort();
		++*made;
	}
	if (length == 0)
		at->count++;
	else
		at->next[word & 3] = insert(at->next[word & 3], word >> 2, length - 1, made);
	return at;
}

static long total(const struct node *at)
{
	long sum = at->count;

	for (int i = 0; i < 4; i++)
		sum += at->next[i] ? total(at->next[i]) : 0;
	return sum;
}

static void *work(void *arg)
{
	long me = (long)arg;
	uint64_t random = (uint64_t)me + 88172645463325252ull;
	struct node *root = NULL;

	for (long i = 0; i < words; i++) {
		random ^= random << 13;
		random ^= random >> 7;
		random ^= random << 17;
		root = insert(root, random >> 20, 5 + (int)(random % 4), &nodes[me]);
	}
	found[me] = total(root);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t other;

	if (argc > 1)
		words = atol(argv[1]);
	pthread_create(&other, NULL, work, (void *)1);
	work(NULL);
	pthread_join(other, NULL);
	printf("%ld nodes, %ld words\n", nodes[0] + nodes[1], found[0] + found[1]);
	return 0;
}
