/*
 * Each worker counts for itself and adds its counts to the totals when it is done, one after the other, each
 * under the lock. Nobody uses two totals together before the end.
 *
 * EXPECT: none
 */
#include <pthread.h>
#include <stdio.h>

struct totals {
	pthread_mutex_t lock;
	long lines, words, errors;
};

static struct totals all = { PTHREAD_MUTEX_INITIALIZER, 0, 0, 0 };

static void add(long *total, long n)
{
	pthread_mutex_lock(&all.lock);
	*total += n;
	pthread_mutex_unlock(&all.lock);
}

static void *worker(void *arg)
{
	const char *text = arg;
	long lines = 0, words = 0, errors = 0;

	for (; *text; text++) {
		lines += *text == '\n';
		words += *text == ' ';
		errors += *text == '?';
	}
	add(&all.lines, lines);
	add(&all.words, words);
	add(&all.errors, errors);
	return NULL;
}

int main(void)
{
	static char texts[3][32] = { "a b c\nd\n", "one two\n", "what ? is\n" };
	pthread_t t[3];

	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, worker, texts[i]);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	printf("%ld %ld %ld\n", all.lines, all.words, all.errors);
	return 0;
}
