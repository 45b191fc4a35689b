/*
 * A title is replaced under one lock, and its length under another, by two threads.
 *
 * EXPECT: extended-race title length
 * PART
 * MISSED: clang-O2
 */
#include <pthread.h>
#include <string.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
char title[64];
size_t length;
static void set(const char *s)
{
	pthread_mutex_lock(&m);
	strcpy(title, s);
#ifdef GOOD
	length = strlen(s);
	pthread_mutex_unlock(&m);
#else
	pthread_mutex_unlock(&m);
	pthread_mutex_lock(&n);
	length = strlen(s);
	pthread_mutex_unlock(&n);
#endif
}
static void *a(void *x)
{
	for (int i = 0; i < 3; i++)
		set(i & 1 ? "a rather long title" : "another long title");
	return x;
}
static void *b(void *x)
{
	for (int i = 0; i < 3; i++)
		set("a third and longer title");
	return x;
}

int main(void)
{
	pthread_t t[2];
	pthread_create(&t[0], 0, a, (void *)1);
	pthread_create(&t[1], 0, b, (void *)2);
	pthread_join(t[0], 0);
	pthread_join(t[1], 0);
	return 0;
}
