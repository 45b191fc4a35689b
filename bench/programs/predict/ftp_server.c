/*
 * The inside of a file server: sessions that answer commands, and an administrator who changes
 * users, limits and configuration while they run. Every access is under the lock of what it
 * belongs to. Three operations still take two steps that belong together:
 *
 * 1. A session looks whether it may reply and then replies. If the administrator hangs it up in
 *    between, its reply buffer is gone: a null pointer, SIGSEGV.
 *    In order: MAY_REPLY of a session, HANG_UP of the administrator, REPLY of the session.
 * 2. A session makes a buffer of the configured block size and then reads a block of the
 *    configured size into it: a failed assertion if the size grew.
 *    In order: SIZE of a session, GROW of the administrator, SIZE of the session again.
 * 3. A session that logs in is bound to the root folder, and every path is held against the
 *    root folder. If that is moved in between, it is denied its own files: a file too few is
 *    served, exit status 1.
 *    In order: BIND of a session, MOVE of the administrator, RESOLVE of the session.
 *    The administrator notes how many sessions are bound. In every run without the error he
 *    finds one fewer than in a run with it: no run in which all reads see what they saw shows
 *    the error, so prediction has to let a value change.
 *
 * There is no data race. -DFIXED: each of the three is one critical section, or looks once.
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SESSIONS 3
#define FILES	 2
#define USERS	 64
#define IMPORTED 28

struct user {
	int id;
	int group;
};

struct session {
	char *replies; /* NULL: hung up */
	int nreplies;
	int user;
	int bound_root;
	int greeted;
};

/* Each part has a lock. */
static struct {
	pthread_mutex_t lock;
	struct user users[USERS];
	int count;
} accounts = {.lock = PTHREAD_MUTEX_INITIALIZER};

static struct {
	pthread_mutex_t lock;
	int root;
	size_t block;
	int bound; /* sessions that are logged in */
	int bound_at_move;
} config = {.lock = PTHREAD_MUTEX_INITIALIZER, .root = 100, .block = 16};

static struct {
	pthread_mutex_t lock;
	struct session session[SESSIONS];
} table = {.lock = PTHREAD_MUTEX_INITIALIZER};

static struct {
	pthread_mutex_t lock;
	long bytes;
	int served, denied;
} stats = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- accounts ------------------------------------------------------------------------------ */

static void account_add(int id, int group)
{
	pthread_mutex_lock(&accounts.lock);
	accounts.users[accounts.count].id = id;
	accounts.users[accounts.count].group = group;
	accounts.count++;
	pthread_mutex_unlock(&accounts.lock);
}

static int account_group(int id)
{
	int group = -1;

	pthread_mutex_lock(&accounts.lock);
	for (int i = 0; i < accounts.count && group < 0; i++)
		if (accounts.users[i].id == id)
			group = accounts.users[i].group;
	pthread_mutex_unlock(&accounts.lock);
	return group;
}

/* ---- replies ------------------------------------------------------------------------------- */

static void put_reply(struct session *s, char code)
{
	s->replies[s->nreplies++] = code; /* REPLY */
}

static void reply(struct session *s, char code)
{
#ifdef FIXED
	pthread_mutex_lock(&table.lock);
	if (s->replies)
		put_reply(s, code);
	pthread_mutex_unlock(&table.lock);
#else
	int may_reply;

	pthread_mutex_lock(&table.lock);
	may_reply = s->replies != NULL; /* MAY_REPLY */
	pthread_mutex_unlock(&table.lock);
	if (!may_reply)
		return;
	pthread_mutex_lock(&table.lock);
	put_reply(s, code);
	pthread_mutex_unlock(&table.lock);
#endif
}

static void hang_up(struct session *s)
{
	char *replies;

	pthread_mutex_lock(&table.lock);
	replies = s->replies;
	s->replies = NULL; /* HANG_UP */
	pthread_mutex_unlock(&table.lock);
	free(replies);
}

/* ---- configuration ------------------------------------------------------------------------- */

static size_t block_size(void)
{
	size_t block;

	pthread_mutex_lock(&config.lock);
	block = config.block; /* SIZE */
	pthread_mutex_unlock(&config.lock);
	return block;
}

static void grow_blocks(size_t block)
{
	pthread_mutex_lock(&config.lock);
	config.block = block; /* GROW */
	pthread_mutex_unlock(&config.lock);
}

static void bind_session(struct session *s)
{
	pthread_mutex_lock(&config.lock);
	s->bound_root = config.root; /* BIND */
	config.bound++;
	pthread_mutex_unlock(&config.lock);
}

static void unbind_session(void)
{
	pthread_mutex_lock(&config.lock);
	config.bound--;
	pthread_mutex_unlock(&config.lock);
}

static void move_root(int root)
{
	pthread_mutex_lock(&config.lock);
	config.bound_at_move = config.bound;
	config.root = root; /* MOVE */
	pthread_mutex_unlock(&config.lock);
}

/* The number of the file below the root folder, or -1 if it is not there. */
static int resolve(const struct session *s, int file)
{
	int root = s->bound_root;

#ifndef FIXED
	pthread_mutex_lock(&config.lock);
	root = config.root; /* RESOLVE */
	pthread_mutex_unlock(&config.lock);
#endif
	return root == s->bound_root ? root + file : -1;
}

/* ---- commands ------------------------------------------------------------------------------ */

static void read_block(char *buffer, size_t space, size_t n)
{
	assert(n <= space);
	memset(buffer, 'x', n);
}

static size_t send_file(void)
{
	size_t space = block_size();
	char *buffer = malloc(space);
	size_t n;

	if (!buffer)
		abort();
#ifdef FIXED
	n = space;
#else
	n = block_size();
#endif
	read_block(buffer, space, n);
	free(buffer);
	return n;
}

static void retrieve(struct session *s, int file)
{
	size_t n = 0;
	int path = resolve(s, file);

	if (path >= 0)
		n = send_file();
	reply(s, path >= 0 ? '2' : '5');
	pthread_mutex_lock(&stats.lock);
	stats.bytes += (long)n;
	if (path >= 0)
		stats.served++;
	else
		stats.denied++;
	pthread_mutex_unlock(&stats.lock);
}

static void *run_session(void *arg)
{
	struct session *s = arg;
	char *greeting = malloc(32);

	if (!greeting)
		abort();
	snprintf(greeting, 32, "220 session of user %d", s->user);
	s->greeted = greeting[0] == '2';
	free(greeting);
	if (account_group(s->user) < 0)
		return NULL;
	bind_session(s);
	for (int file = 0; file < FILES; file++)
		retrieve(s, file);
	unbind_session();
	return NULL;
}

/* Imports accounts first; the rest is what they were imported for. */
static void *run_administrator(void *arg)
{
	for (int i = 0; i < IMPORTED; i++)
		account_add(1000 + i, 2);
	grow_blocks(64);
	hang_up(&table.session[SESSIONS - 1]);
	move_root(200);
	return arg;
}

int main(void)
{
	pthread_t thread[SESSIONS + 1];

	for (int i = 0; i < SESSIONS; i++) {
		account_add(i + 1, 1);
		table.session[i].user = i + 1;
		table.session[i].replies = malloc(64);
		if (!table.session[i].replies)
			return 2;
	}
	for (int i = 0; i < SESSIONS; i++)
		if (pthread_create(&thread[i], NULL, run_session, &table.session[i]))
			return 2;
	if (pthread_create(&thread[SESSIONS], NULL, run_administrator, NULL))
		return 2;
	for (int i = 0; i <= SESSIONS; i++)
		pthread_join(thread[i], NULL);
	for (int i = 0; i < SESSIONS; i++)
		free(table.session[i].replies);
	if (stats.served != SESSIONS * FILES) {
		fprintf(stderr, "ftp: %d files were served, %d denied\n", stats.served,
			stats.denied);
		return 1;
	}
	puts("ftp: done");
	return 0;
}
