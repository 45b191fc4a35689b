/*
 * Internal control variables: where they start, from heddle's options and the environment.
 */
#include "omp_rt.h"

#include <stdlib.h>

/* As if the program's user had said OMP_NUM_THREADS=8,2. The machine must not matter. */
#define DEFAULT_THREADS 8u
#define DEFAULT_INNER	2u
#define LEVELS		8

unsigned hd_omp_thread_limit;

static struct {
	bool read;
	unsigned nthreads[LEVELS];
	unsigned nlevels;
	unsigned sched;
	int chunk;
	bool dyn, cancellation;
	int max_active;
	size_t stack;
	int nteams, teams_limit, default_device;
	uint8_t bind;
} env;

static const char *skip(const char *s)
{
	while (*s == ' ' || *s == '\t')
		s++;
	return s;
}

static const char *number(const char *s, uint64_t *out)
{
	uint64_t v = 0;

	s = skip(s);
	if (*s < '0' || *s > '9')
		return NULL;
	for (; *s >= '0' && *s <= '9'; s++)
		v = v * 10 + (uint64_t)(*s - '0');
	*out = v;
	return skip(s);
}

/* Does @s begin with @word, in either case? What follows it, or NULL. */
static const char *after_word(const char *s, const char *word)
{
	s = skip(s);
	for (; *word; word++, s++) {
		if ((*s | 0x20) != *word)
			return NULL;
	}
	return skip(s);
}

static uint64_t env_number(const char *name, uint64_t otherwise)
{
	const char *s = getenv(name);
	uint64_t v;

	return s && number(s, &v) ? v : otherwise;
}

static bool env_true(const char *name)
{
	const char *s = getenv(name);

	return s && (after_word(s, "true") || after_word(s, "1") || after_word(s, "yes"));
}

static void read_threads(void)
{
	const char *s = getenv("OMP_NUM_THREADS");
	uint64_t v;

	env.nthreads[0] = DEFAULT_THREADS;
	env.nthreads[1] = DEFAULT_INNER;
	env.nlevels = 2;
	if (s && number(s, &v)) {
		env.nlevels = 0;
		while (env.nlevels < LEVELS && s && (s = number(s, &v)) && v) {
			env.nthreads[env.nlevels++] = v < 65536 ? (unsigned)v : 65536;
			s = *s == ',' ? s + 1 : NULL;
		}
		if (env.nlevels == 1)
			env.nthreads[env.nlevels++] = DEFAULT_INNER;
	}
	if (!env.nlevels) {
		env.nthreads[0] = DEFAULT_THREADS;
		env.nlevels = 1;
	}
	if (hd_rt.opt.threads)
		env.nthreads[0] = hd_rt.opt.threads;
}

static void read_schedule(void)
{
	static const struct {
		const char *word;
		enum omp_sched sched;
	} words[] = { { "static", OMP_STATIC },
		      { "dynamic", OMP_DYNAMIC },
		      { "guided", OMP_GUIDED },
		      { "auto", OMP_AUTO } };
	const char *s = getenv("OMP_SCHEDULE"), *rest;
	uint64_t v;

	env.sched = OMP_DYNAMIC;
	env.chunk = 1;
	if (!s)
		return;
	if ((rest = after_word(s, "monotonic:"))) {
		s = rest;
		env.sched |= OMP_MONOTONIC;
	} else if ((rest = after_word(s, "nonmonotonic:"))) {
		s = rest;
	}
	for (unsigned i = 0; i < 4; i++) {
		rest = after_word(s, words[i].word);
		if (!rest)
			continue;
		env.sched = words[i].sched | (env.sched & OMP_MONOTONIC);
		env.chunk = words[i].sched == OMP_STATIC ? 0 : 1;
		if (*rest == ',' && number(rest + 1, &v))
			env.chunk = (int)v;
	}
}

static void read_stack(void)
{
	const char *s = getenv("OMP_STACKSIZE");
	uint64_t v, unit = 1024;

	if (!s || !(s = number(s, &v)))
		return;
	switch (*s | 0x20) {
	case 'b':
		unit = 1;
		break;
	case 'm':
		unit = 1 << 20;
		break;
	case 'g':
		unit = 1 << 30;
		break;
	default:
		break;
	}
	env.stack = (size_t)(v * unit);
}

static void read_env(void)
{
	if (env.read)
		return;
	env.read = true;
	read_threads();
	read_schedule();
	read_stack();
	env.dyn = env_true("OMP_DYNAMIC");
	env.cancellation = env_true("OMP_CANCELLATION");
	env.max_active = (int)env_number("OMP_MAX_ACTIVE_LEVELS", 2);
	if (getenv("OMP_NESTED"))
		env.max_active = env_true("OMP_NESTED") ? LEVELS : 1;
	hd_omp_thread_limit = (unsigned)env_number("OMP_THREAD_LIMIT", 0);
	env.nteams = (int)env_number("OMP_NUM_TEAMS", 0);
	env.teams_limit = (int)env_number("OMP_TEAMS_THREAD_LIMIT", 0);
	env.default_device = (int)env_number("OMP_DEFAULT_DEVICE", 0);
	env.bind = env_true("OMP_PROC_BIND");
}

void hd_omp_icv_init(struct omp_icv *icv)
{
	read_env();
	*icv = (struct omp_icv){
		.nthreads = env.nthreads[0],
		.sched = env.sched,
		.chunk = env.chunk,
		.max_active = env.max_active,
		.default_device = env.default_device,
		.nteams = env.nteams,
		.teams_thread_limit = env.teams_limit,
		.thread_limit = hd_omp_thread_limit,
		.bind = env.bind,
		.dyn = env.dyn,
	};
}

unsigned hd_omp_nthreads_at(unsigned level, unsigned now)
{
	return level < env.nlevels ? env.nthreads[level] : now;
}

size_t hd_omp_stack_size(void)
{
	if (hd_rt.opt.stack_size)
		return (size_t)hd_rt.opt.stack_size;
	return env.stack;
}

bool hd_omp_cancellation(void)
{
	read_env();
	return env.cancellation;
}
