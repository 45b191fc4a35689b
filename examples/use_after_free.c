/*
 * A request takes the pointer to the current session under the lock, but uses it
 * after the unlock. If the session is closed in between, it uses freed memory, and without
 * heddle crashes at whatever the allocator has put there.
 *
 *   heddle cc use_after_free.c -o use_after_free
 *   for seed in $(seq 50); do heddle run -q --seed $seed -- ./use_after_free || break; done
 */
#include <pthread.h>
#include <stdlib.h>

struct session {
	const char *user;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
static struct session *current;

static void *request(void *initial)
{
	pthread_mutex_lock(&lock);
	struct session *s = current;
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&log_lock);
	if (s)
		*(char *)initial = s->user[0];
	pthread_mutex_unlock(&log_lock);
	return NULL;
}

static void *close_session(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&lock);
	struct session *s = current;
	current = NULL;
	pthread_mutex_unlock(&lock);
	free(s);
	return NULL;
}

int main(void)
{
	pthread_t r, c;
	char initial;

	current = malloc(sizeof(*current));
	current->user = "weaver";
	pthread_create(&r, NULL, request, &initial);
	pthread_create(&c, NULL, close_session, NULL);
	pthread_join(r, NULL);
	pthread_join(c, NULL);
	return 0;
}
