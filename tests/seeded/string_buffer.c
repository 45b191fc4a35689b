/*
 * Append asks another buffer for its length and then for so many of its characters, each under that one's lock: it
 * may have become shorter.
 *
 * FAILS: assertion
 * CAUSE: count
 * REMEDY: m'
 */
#include <assert.h>
#include <pthread.h>

struct buffer {
	pthread_mutex_t m;
	int count;
	char chars[8];
};
static struct buffer source = { PTHREAD_MUTEX_INITIALIZER, 3, "abc" };
static struct buffer target = { PTHREAD_MUTEX_INITIALIZER, 0, "" };

static int length(struct buffer *b)
{
	pthread_mutex_lock(&b->m);
	int n = b->count;
	pthread_mutex_unlock(&b->m);
	return n;
}

static void get_chars(struct buffer *b, int n, char *to)
{
	pthread_mutex_lock(&b->m);
#ifdef FIXED
	if (n > b->count)
		n = b->count;
#endif
	assert(n <= b->count);
	for (int i = 0; i < n; i++)
		to[i] = b->chars[i];
	pthread_mutex_unlock(&b->m);
}

static void *append(void *x)
{
	pthread_mutex_lock(&target.m);
	get_chars(&source, length(&source), target.chars);
	pthread_mutex_unlock(&target.m);
	return x;
}

static void *clear(void *x)
{
	pthread_mutex_lock(&source.m);
	source.count = 0;
	pthread_mutex_unlock(&source.m);
	return x;
}

int main(void)
{
	pthread_t s, t;
	pthread_create(&s, 0, append, 0);
	pthread_create(&t, 0, clear, 0);
	pthread_join(s, 0);
	pthread_join(t, 0);
	return 0;
}
