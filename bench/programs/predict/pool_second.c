/*
 * The same pool, the second release: it can be closed while others use it.
 *
 * give_back() looks whether the pool is still open, tests the connection without the lock, since
 * that is slow, and puts it back. If the pool is closed meanwhile there is no place any more to
 * put it: a null pointer, SIGSEGV. In order: OPEN of one thread, CLOSE of another, PUT of the
 * first one.
 *
 * There is no data race. -DFIXED: looking and putting back are one critical section.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct connection {
	int id;
	int host;
	int used;
};

#define KEEP 4

struct second_pool {
	pthread_mutex_t lock;
	struct connection **idle; /* NULL: the pool is closed */
	int nidle;
	int out, most, limit;
};

struct settings {
	pthread_mutex_t lock;
	char name[8][8];
	int value[8];
};

static struct second_pool pool = {.lock = PTHREAD_MUTEX_INITIALIZER, .limit = 3};
static struct settings settings = {
    .lock = PTHREAD_MUTEX_INITIALIZER,
    .name = {"host", "port", "user", "retries"},
    .value = {17, 5432, 1000, 3},
};

static int setting(const char *name)
{
	int value = -1;

	pthread_mutex_lock(&settings.lock);
	for (int i = 0; i < 8 && value < 0; i++)
		if (!strcmp(settings.name[i], name))
			value = settings.value[i];
	pthread_mutex_unlock(&settings.lock);
	return value;
}

static void pool_open(struct second_pool *p)
{
	p->idle = calloc(KEEP, sizeof(struct connection *));
	if (!p->idle)
		abort();
}

/* What is out is freed by who has it. */
static void pool_close(struct second_pool *p)
{
	struct connection **idle;
	int n;

	pthread_mutex_lock(&p->lock);
	idle = p->idle;
	p->idle = NULL; /* CLOSE */
	n = p->nidle;
	p->nidle = 0;
	pthread_mutex_unlock(&p->lock);
	while (n > 0)
		free(idle[--n]);
	free(idle);
}

static struct connection *connection_new(int id)
{
	struct connection *c = malloc(sizeof(*c));

	if (!c)
		abort();
	*c = (struct connection){.id = id, .host = setting("host")};
	return c;
}

/* NULL: the pool is closed, or as many as allowed are out. */
static struct connection *borrow(struct second_pool *p, int id)
{
	struct connection *c = NULL;
	int make = 0;

	pthread_mutex_lock(&p->lock);
	if (p->idle && p->out < p->limit) {
		if (p->nidle > 0)
			c = p->idle[--p->nidle];
		else
			make = 1;
		p->out++;
		if (p->out > p->most)
			p->most = p->out;
	}
	pthread_mutex_unlock(&p->lock);
	return make ? connection_new(id) : c;
}

static int works(struct connection *c)
{
	return c->host == setting("host") && c->used < 3;
}

static void give_back(struct second_pool *p, struct connection *c)
{
	int keep;

#ifdef FIXED
	keep = works(c);
	pthread_mutex_lock(&p->lock);
	keep = keep && p->idle && p->nidle < KEEP;
#else
	pthread_mutex_lock(&p->lock);
	keep = p->idle != NULL; /* OPEN */
	pthread_mutex_unlock(&p->lock);
	keep = keep && works(c);
	pthread_mutex_lock(&p->lock);
	keep = keep && p->nidle < KEEP;
#endif
	if (keep)
		p->idle[p->nidle++] = c; /* PUT */
	p->out--;
	pthread_mutex_unlock(&p->lock);
	if (!keep)
		free(c);
}

static void *run_client(void *arg)
{
	int id = *(int *)arg;
	char *request = malloc(32);

	if (!request)
		abort();
	snprintf(request, 32, "get %d", id);
	for (int round = 0; round < 2; round++) {
		struct connection *c = borrow(&pool, id);

		if (!c)
			break;
		c->used += (int)strlen(request) > 0;
		give_back(&pool, c);
	}
	free(request);
	return NULL;
}

/* Closes the pool after it has read what it needs for that. */
static void *shut_down(void *arg)
{
	for (int i = 0; i < 30; i++)
		if (setting("host") != 17)
			abort();
	pool_close(&pool);
	return arg;
}

int main(void)
{
	int id[] = {1, 2};
	pthread_t thread[3];

	pool_open(&pool);
	for (int i = 0; i < 2; i++)
		if (pthread_create(&thread[i], NULL, run_client, &id[i]))
			return 2;
	if (pthread_create(&thread[2], NULL, shut_down, NULL))
		return 2;
	for (int i = 0; i < 3; i++)
		pthread_join(thread[i], NULL);
	if (pool.out) {
		fprintf(stderr, "pool: %d connections are missing\n", pool.out);
		return 1;
	}
	puts("pool: done");
	return 0;
}
