#include "watch.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/clock.h"
#include "where_is.h"
#include "common/listener.h"

#define PATIENCE 5.0 /* seconds; doubled each time */
#define WORKED	 0.1 /* seconds of processor without which nobody is called busy */
#define PAUSE_NS 250000000
#define TEXT_MAX 1024

/* ---- what was told ---------------------------------------------------------------- */

static struct {
	pthread_mutex_t lock;
	char *text[HD_WATCH_TOLD + 1];
	size_t n;
	char *copy; /* for another process; NULL: nobody wants one */
	size_t copy_len;
} told = { .lock = PTHREAD_MUTEX_INITIALIZER };

const char *const *hd_watch_told(void)
{
	return (const char *const *)told.text;
}

void hd_watch_tell_to(char *text, size_t len)
{
	told.copy = text;
	told.copy_len = len;
}

/* What a sentence says apart from how long it has been so. */
static const char *place_in(const char *text)
{
	const char *at = strstr(text, " s: ");

	return at ? at : text;
}

/* The sentence that @text is the sequel of, or else the place of a new one. */
static size_t place_for(const char *text, bool sequel)
{
	for (size_t i = 0; i < told.n; i++) {
		if (!strcmp(place_in(told.text[i]), place_in(text)))
			return i;
	}
	return sequel && told.n ? told.n - 1 : told.n;
}

static void keep(const char *text, bool sequel)
{
	char *mine = strdup(text);
	size_t i;

	pthread_mutex_lock(&told.lock);
	if (told.copy)
		snprintf(told.copy, told.copy_len, "%s", text);
	i = place_for(text, sequel);
	if (mine && i < HD_WATCH_TOLD) {
		told.n += i == told.n;
		free(told.text[i]);
		told.text[i] = mine;
	} else {
		free(mine);
	}
	pthread_mutex_unlock(&told.lock);
}

void hd_watch_keep(const char *text)
{
	if (text[0])
		keep(text, false);
}

/* ---- looking ---------------------------------------------------------------------- */

static void alive(struct hd_watched *w, uint64_t beats, pid_t pid)
{
	w->beats = beats;
	w->pid = pid;
	w->since = hd_now();
	w->cpu = hd_cpu_seconds(pid);
	w->patience = PATIENCE;
}

static void tell(struct hd_watched *w, const struct hd_pulse *p, enum hd_doing doing, pid_t tid)
{
	char place[TEXT_MAX], text[TEXT_MAX + 128];

	hd_where_is(w->pid, tid, doing, p->pc, place, sizeof(place));
	if (__atomic_load_n(&p->beats, __ATOMIC_RELAXED) != w->beats)
		return; /* it went on while we looked */
	snprintf(text, sizeof(text), "T%u has reached no scheduling point for %.0f s: %s",
		 p->thread, w->patience, place);
	hd_warn("%s", text);
	keep(text, w->patience > PATIENCE);
}

void hd_watch_look(struct hd_watched *w, const struct hd_pulse *p, pid_t pid)
{
	uint64_t beats = __atomic_load_n(&p->beats, __ATOMIC_RELAXED);
	enum hd_doing doing;
	pid_t tid = pid;

	if (beats != w->beats || pid != w->pid || !w->since || !p->thread || p->waiting) {
		alive(w, beats, pid);
		return;
	}
	if (hd_now() - w->since < w->patience)
		return;
	doing = hd_doing(pid, &tid);
	/* A single thread that waits in the system keeps nobody from running. */
	if ((doing == HD_DOING_WORK && hd_cpu_seconds(pid) - w->cpu >= WORKED) ||
	    (doing == HD_DOING_WAIT && p->live > 1))
		tell(w, p, doing, tid);
	w->patience *= 2;
}

/* ---- a thread that looks ------------------------------------------------------------ */

struct hd_watcher {
	const struct hd_ring *ring;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool over;
};

static void look_at_ring(struct hd_watched *w, const struct hd_ring *ring)
{
	if (__atomic_load_n(&ring->attached, __ATOMIC_ACQUIRE) == 1 && ring->target_pid > 0)
		hd_watch_look(w, &ring->pulse, ring->target_pid);
}

static void *watch(void *arg)
{
	struct hd_watcher *w = arg;
	struct hd_watched watched = { 0 };

	pthread_mutex_lock(&w->lock);
	while (!w->over) {
		struct timespec until;

		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += PAUSE_NS;
		until.tv_sec += until.tv_nsec / 1000000000;
		until.tv_nsec %= 1000000000;
		if (pthread_cond_timedwait(&w->changed, &w->lock, &until) == 0)
			continue;
		pthread_mutex_unlock(&w->lock);
		look_at_ring(&watched, w->ring);
		pthread_mutex_lock(&w->lock);
	}
	pthread_mutex_unlock(&w->lock);
	return NULL;
}

struct hd_watcher *hd_watch_start(const struct hd_ring *ring)
{
	struct hd_watcher *w = calloc(1, sizeof(*w));
	sigset_t all, before;
	int err;

	if (!w)
		return NULL;
	w->ring = ring;
	pthread_mutex_init(&w->lock, NULL);
	pthread_cond_init(&w->changed, NULL);
	/* Signals are the command's business, so this thread takes none. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	err = pthread_create(&w->thread, NULL, watch, w);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (!err)
		return w;
	free(w);
	return NULL;
}

void hd_watch_stop(struct hd_watcher *w)
{
	if (!w)
		return;
	pthread_mutex_lock(&w->lock);
	w->over = true;
	pthread_cond_signal(&w->changed);
	pthread_mutex_unlock(&w->lock);
	pthread_join(w->thread, NULL);
	free(w);
}
