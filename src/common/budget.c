#include "budget.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"

#define RUNS	0.8	       /* seconds for runs that the report needs, ... */
#define READING 1.2	       /* ... and before it has to do without details */
#define EVERY	0.05	       /* seconds between looks at memory */
#define LEAST	(256ull << 20) /* bytes: with less the smallest analysis would not do */
#define SHARE	2	       /* of what is free: the part that this process may have */

static struct {
	double until;	/* 0: never */
	uint64_t bytes; /* 0: not set */
	double looked;	/* at memory */
	int why;	/* enum hd_stop; atomic: signal handlers and threads write it too */
	double since;	/* when it was first seen to be over */
	bool told;	/* somebody has stopped because of it */
} budget;

/* ---- memory ------------------------------------------------------------------- */

static uint64_t number_in(const char *path, const char *key, uint64_t unit)
{
	FILE *in = fopen(path, "re");
	unsigned long long n = 0;
	char line[128];
	bool found = false;

	while (in && !found && fgets(line, sizeof(line), in)) {
		size_t len = strlen(key);

		found = !strncmp(line, key, len) && sscanf(line + len, "%llu", &n) == 1;
	}
	if (in)
		fclose(in);
	return found ? n * unit : 0;
}

/* What may be used without pushing others out, of the machine and of the container. */
static uint64_t default_bytes(void)
{
	uint64_t free_bytes = number_in("/proc/meminfo", "MemAvailable:", 1024);
	uint64_t most = number_in("/sys/fs/cgroup/memory.max", "", 1);

	if (most && (!free_bytes || most < free_bytes))
		free_bytes = most;
	return free_bytes / SHARE > LEAST ? free_bytes / SHARE : LEAST;
}

static uint64_t own_bytes(void)
{
	unsigned long long pages = 0;
	FILE *in = fopen("/proc/self/statm", "re");

	if (in && fscanf(in, "%*u %llu", &pages) != 1)
		pages = 0;
	if (in)
		fclose(in);
	return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* ---- the end ------------------------------------------------------------------ */

static void stop(enum hd_stop why)
{
	int no = HD_STOP_NO;

	__atomic_compare_exchange_n(&budget.why, &no, why, false, __ATOMIC_RELAXED,
				    __ATOMIC_RELAXED);
}

void hd_budget_set(double seconds, uint64_t bytes)
{
	budget.until = seconds > 0 ? hd_now() + seconds : 0;
	budget.bytes = bytes ? bytes : default_bytes();
	budget.since = 0;
	budget.told = false;
	__atomic_store_n(&budget.why, HD_STOP_NO, __ATOMIC_RELAXED);
}

double hd_budget_until(void)
{
	return budget.until;
}

uint64_t hd_budget_bytes(void)
{
	return budget.bytes;
}

void hd_budget_interrupt(void)
{
	stop(HD_STOP_INTERRUPTED);
}

void hd_budget_obeyed(void)
{
	int was = HD_STOP_INTERRUPTED;

	if (__atomic_compare_exchange_n(&budget.why, &was, HD_STOP_NO, false, __ATOMIC_RELAXED,
					__ATOMIC_RELAXED))
		budget.since = budget.told = 0;
}

void hd_budget_uses(uint64_t bytes)
{
	if (budget.bytes && bytes + own_bytes() > budget.bytes)
		stop(HD_STOP_MEMORY);
}

static enum hd_stop look(void)
{
	enum hd_stop why = __atomic_load_n(&budget.why, __ATOMIC_RELAXED);
	double now;

	if (why && budget.since > 0)
		return why;
	now = hd_now();
	if (!why && budget.until > 0 && now >= budget.until)
		stop(HD_STOP_TIME);
	if (!why && budget.bytes && now - budget.looked >= EVERY) {
		budget.looked = now;
		hd_budget_uses(0);
	}
	why = __atomic_load_n(&budget.why, __ATOMIC_RELAXED);
	if (why)
		budget.since = now;
	return why;
}

enum hd_stop hd_budget_stop(void)
{
	enum hd_stop why = look();

	budget.told |= why != HD_STOP_NO;
	return why;
}

enum hd_stop hd_budget_told(void)
{
	return budget.told ? __atomic_load_n(&budget.why, __ATOMIC_RELAXED) : HD_STOP_NO;
}

double hd_budget_last(void)
{
	if (look())
		return budget.since + RUNS;
	return budget.until > 0 ? budget.until + RUNS : 0;
}

bool hd_budget_late(void)
{
	bool late = look() && hd_now() >= budget.since + READING;

	budget.told |= late;
	return late;
}

const char *hd_stop_word(enum hd_stop why)
{
	static const char *const words[] = { NULL, "interrupted", "time", "memory" };

	return words[why];
}

double hd_budget_share(double seconds)
{
	return getenv("HEDDLE_UNHURRIED") ? 1000 * seconds : seconds;
}
