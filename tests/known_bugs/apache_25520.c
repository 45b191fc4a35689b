/*
 * Apache 25520: the shared log buffer's position is read, the line copied, the position advanced:
 * lines are garbled. Each access here has a lock, but the copy and the advance are apart. Seen:
 * only in what is written in the end.
 *
 * FAILS: output
 * CAUSE: outcnt
 * REMEDY: m'
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
struct buffered_log {
	char out[256];
	size_t outcnt;
	pthread_mutex_t m;
};
static struct buffered_log log_ = { .m = PTHREAD_MUTEX_INITIALIZER };
static void ap_buffered_log_writer(struct buffered_log *b, const char *s, size_t len)
{
	size_t at;
#ifdef FIXED
	pthread_mutex_lock(&b->m);
	at = b->outcnt;
	memcpy(b->out + at, s, len);
	b->outcnt = at + len;
	pthread_mutex_unlock(&b->m);
#else
	pthread_mutex_lock(&b->m);
	at = b->outcnt;
	pthread_mutex_unlock(&b->m);
	pthread_mutex_lock(&b->m);
	memcpy(b->out + at, s, len);
	pthread_mutex_unlock(&b->m);
	pthread_mutex_lock(&b->m);
	b->outcnt = at + len;
	pthread_mutex_unlock(&b->m);
#endif
}
static void *worker(void *a)
{
	const char *s = a;
	ap_buffered_log_writer(&log_, s, strlen(s));
	return NULL;
}
int main(void)
{
	pthread_t t[2];
	char *l[2] = { "GET /index.html 200\n", "POST /form 404\n" };
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, worker, l[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	fwrite(log_.out, 1, log_.outcnt, stdout);
	return 0;
}
