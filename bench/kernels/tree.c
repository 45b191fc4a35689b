/*
 * Two threads make binary trees, walk them and give them back: allocation, recursion, few shared data.
 *
 *   tree [ROUNDS]      prints the number of nodes seen
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct tree {
	struct tree *left, *right;
	long value;
};

static long rounds = 30;

static struct tree *make(int depth)
{
	struct tree *t = malloc(sizeof(*t));

	if (!t)
		abort();
	*t = (struct tree){ depth ? make(depth - 1) : NULL, depth ? make(depth - 1) : NULL, depth };
	return t;
}

static long walk(const struct tree *t)
{
	return t ? 1 + walk(t->left) + walk(t->right) : 0;
}

static void drop(struct tree *t)
{
	if (!t)
		return;
	drop(t->left);
	drop(t->right);
	free(t);
}

static void *work(void *arg)
{
	long *seen = arg;

	for (long i = 0; i < rounds; i++) {
		struct tree *t = make(10);

		for (int k = 0; k < 10; k++)
			*seen += walk(t);
		drop(t);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	long seen[2] = { 0, 0 };
	pthread_t other;

	if (argc > 1)
		rounds = atol(argv[1]);
	pthread_create(&other, NULL, work, &seen[1]);
	work(&seen[0]);
	pthread_join(other, NULL);
	printf("%ld\n", seen[0] + seen[1]);
	return 0;
}
