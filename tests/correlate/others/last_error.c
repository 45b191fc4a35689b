/*
 * Code and text of the last error are set by two functions, the text by snprintf; who logs them prints both. GOOD: one
 * critical section.
 *
 * EXPECT: extended-race err.code err.msg
 * PART
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
static pthread_mutex_t mu = PTHREAD_MUTEX_INITIALIZER;
static struct {
	int code;
	char msg[40];
} err;
static void set_code(int c)
{
	pthread_mutex_lock(&mu);
	err.code = c;
	pthread_mutex_unlock(&mu);
}
static void set_msg(const char *m)
{
	pthread_mutex_lock(&mu);
	snprintf(err.msg, sizeof err.msg, "%s", m);
	pthread_mutex_unlock(&mu);
}
static void fail(int c, const char *m)
{
#ifdef GOOD
	pthread_mutex_lock(&mu);
	err.code = c;
	snprintf(err.msg, sizeof err.msg, "%s", m);
	pthread_mutex_unlock(&mu);
#else
	set_code(c);
	set_msg(m);
#endif
}
static void *io(void *arg)
{
	static const char *text[] = { "no such file", "permission denied", "disk full" };
	for (int i = 0; i < 6; i++)
		fail(2 + i % 3, text[i % 3]);
	return arg;
}
static void *logger(void *arg)
{
	char line[80] = "";
	for (int i = 0; i < 6; i++) {
		pthread_mutex_lock(&mu);
		snprintf(line, sizeof line, "E%d: %s", err.code, err.msg);
		pthread_mutex_unlock(&mu);
	}
	puts(line);
	return arg;
}
int main(void)
{
	pthread_t a, b;
	(void)set_code;
	(void)set_msg;
	pthread_create(&a, NULL, io, NULL);
	pthread_create(&b, NULL, logger, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
