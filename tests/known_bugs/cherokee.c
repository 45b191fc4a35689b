/*
 * Cherokee: bogotime: the cached time string is refreshed in place by whichever thread finds it
 * old.
 *
 * FAILS: output
 * CAUSE: cached|text
 * REMEDY: 'lock'|a new lock
 * MISSED: the two are not seen as one, and only a message shows it
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int now, cached = -1;
static char text[16] = "t-1";
static void update(void)
{
	int n;
#ifdef FIXED
	pthread_rwlock_wrlock(&lock);
	n = now;
	if (cached != n) {
		cached = n;
		snprintf(text, sizeof text, "t%d", n);
	}
	pthread_rwlock_unlock(&lock);
#else
	pthread_rwlock_rdlock(&lock);
	n = now;
	int old = cached != n;
	pthread_rwlock_unlock(&lock);
	if (!old)
		return;
	pthread_rwlock_wrlock(&lock);
	cached = n;
	pthread_rwlock_unlock(&lock);
	pthread_rwlock_wrlock(&lock);
	snprintf(text, sizeof text, "t%d", n);
	pthread_rwlock_unlock(&lock);
#endif
}
static void *serve(void *a)
{
	char line[16], want[16];
	int c;
	update();
	pthread_rwlock_rdlock(&lock);
	c = cached;
	strcpy(line, text);
	pthread_rwlock_unlock(&lock);
	snprintf(want, sizeof want, "t%d", c);
	if (strcmp(line, want))
		fprintf(stderr, "header has %s at %s\n", line, want);
	return a;
}
static void *tick(void *a)
{
	pthread_rwlock_wrlock(&lock);
	now++;
	pthread_rwlock_unlock(&lock);
	return a;
}
int main(void)
{
	pthread_t t[3];
	pthread_create(&t[0], NULL, serve, NULL);
	pthread_create(&t[1], NULL, tick, NULL);
	pthread_create(&t[2], NULL, serve, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	return 0;
}
