#include "options.h"

#include <stdlib.h>

#include "runtime/explore/explore_sites.h"
#include "runtime/explore/inferred.h"
#include "runtime/memory/arena.h"
#include "runtime/sched/policy.h"
#include "sys.h"

char hd_rt_record_file[4096];

static void complain(const char *what, const char *word)
{
	char line[600];
	int n = hd_rt_print(line, sizeof(line), "heddle: %s '%s' in the options is ignored\n", what,
			    word);

	hd_sys(SYS_write, 2, line, n < (int)sizeof(line) ? n : (int)sizeof(line) - 1);
}

static bool number(const char *s, uint64_t *out)
{
	uint64_t v = 0;

	if (!*s)
		return false;
	for (; *s >= '0' && *s <= '9'; s++)
		v = v * 10 + (uint64_t)(*s - '0');
	*out = v;
	return *s == 0;
}

/* One of @words; its index goes to @out. */
static bool word_of(const char *s, const char *const *words, unsigned *out)
{
	for (unsigned i = 0; words[i]; i++) {
		if (hd_rt_strcmp(words[i], s) == 0) {
			*out = i;
			return true;
		}
	}
	return false;
}

static bool set_word(struct hd_options *o, const char *key, const char *value)
{
	static const char *const switches[] = { "sync", "atomics", "accesses", NULL };
	static const char *const algorithms[] = { "complete", "paper", "velodrome", "none", NULL };
	static const char *const carriers[] = { "fibers", "threads", NULL };
	static const char *const records[] = { "none", "sync", "all", NULL };
	unsigned i;

	if (hd_rt_strcmp(key, "switch-at") == 0) {
		if (!word_of(value, switches, &i))
			return false;
		o->switch_at = i;
	} else if (hd_rt_strcmp(key, "carriers") == 0) {
		if (!word_of(value, carriers, &i))
			return false;
		o->carriers = i;
	} else if (hd_rt_strcmp(key, "tasks") == 0) {
		if (!word_of(value, algorithms, &i))
			return false;
		o->tasks = i < 3 ? i + 1 : 0;
	} else if (hd_rt_strcmp(key, "record") == 0) {
		if (word_of(value, records, &i)) {
			o->record = i;
		} else {
			o->record = HD_REC_ALL;
			hd_rt_print(hd_rt_record_file, sizeof(hd_rt_record_file), "%s", value);
		}
	} else if (hd_rt_strcmp(key, "switch-sites") == 0) {
		return hd_rt_sites_read(&hd_rt_switch_sites, value);
	} else if (hd_rt_strcmp(key, "region-sites") == 0) {
		return hd_rt_inferred_read(value);
	} else if (hd_rt_strcmp(key, "calm-regions") == 0) {
		return hd_rt_sites_read(&hd_rt_calm_regions, value);
	} else if (hd_rt_strcmp(key, "expect-exit") == 0) {
		return true; /* for those who read the trace */
	} else if (hd_rt_strcmp(key, "after") == 0) {
		hd_rt_print(o->after, sizeof(o->after), "%s", value);
	} else if (hd_rt_strcmp(key, "policy") == 0) {
		const struct hd_policy *p = hd_rt_policy_find(value);

		if (!p)
			return false;
		hd_rt_policy = p;
		o->policy = p->name;
	} else {
		return false;
	}
	return true;
}

static bool set_number(struct hd_options *o, const char *key, uint64_t v)
{
#define NUMBER(name, field)                                                                        \
	if (hd_rt_strcmp(key, name) == 0) {                                                        \
		o->field = (__typeof__(o->field))v;                                                \
		return true;                                                                       \
	}
	NUMBER("seed", seed)
	NUMBER("threads", threads)
	NUMBER("omp-tasks", omp_tasks)
	NUMBER("exact", exact)
	NUMBER("states", states)
	NUMBER("exact-states", exact_states)
	NUMBER("regions", regions)
	NUMBER("end-points", end_points)
	NUMBER("last-exit", last_exit)
	NUMBER("snapshots", snapshots)
	NUMBER("spins", spins)
	NUMBER("spurious", spurious)
	NUMBER("early", early)
	NUMBER("calls", calls)
	NUMBER("races", races)
	NUMBER("parallel", parallel)
	NUMBER("atomic-steps", atomic_steps)
	NUMBER("stats", stats)
	NUMBER("pct-depth", pct_depth)
	NUMBER("pct-length", pct_length)
	NUMBER("rr-quantum", rr_quantum)
	NUMBER("quantum", quantum)
	NUMBER("stack-size", stack_size)
	NUMBER("heap", heap)
	NUMBER("quarantine", quarantine)
	NUMBER("max-steps", max_steps)
	NUMBER("start-time", start_time)
	NUMBER("ring-fd", ring_fd)
	NUMBER("schedule-fd", schedule_fd)
	NUMBER("plan-fd", plan_fd)
	NUMBER("segments-fd", segments_fd)
	NUMBER("explore-fd", explore_fd)
	NUMBER("known-fd", known_fd)
	NUMBER("files-fd", files_fd)
	NUMBER("wide", wide)
	NUMBER("any-time", any_time)
	NUMBER("exitcode", exitcode)
#undef NUMBER
	return false;
}

/* Parse key=value items; @text is cut up. */
static void parse(char *text, char separator)
{
	while (*text) {
		char *key = text, *value = NULL;
		uint64_t v;

		for (; *text && *text != separator; text++) {
			if (*text == '=' && !value) {
				*text = 0;
				value = text + 1;
			}
		}
		if (*text)
			*text++ = 0;
		if (!*key)
			continue;
		if (!value)
			complain("the word without a value", key);
		else if (!set_word(&hd_rt.opt, key, value) &&
			 !(number(value, &v) && set_number(&hd_rt.opt, key, v)))
			complain("the unknown option or value", key);
	}
}

static int config_fd(void)
{
	const char *s = getenv("HEDDLE_CONFIG_FD");
	uint64_t fd;

	if (!s || !number(s, &fd))
		return -1;
	/* Programs that this one starts are on their own. */
	unsetenv("HEDDLE_CONFIG_FD");
	return (int)fd;
}

void hd_rt_options_read(void)
{
	static char text[131072];
	struct hd_options *o = &hd_rt.opt;
	const char *env = getenv("HEDDLE_OPTIONS");
	int fd;

	*o = (struct hd_options){ .seed = 1, .policy = "random", .switch_at = HD_AT_ATOMICS,
				  .pct_depth = 3, .pct_length = 10000, .rr_quantum = 1,
				  .quantum = 50000, .ring_fd = -1, .schedule_fd = -1,
				  .plan_fd = -1, .segments_fd = -1, .explore_fd = -1, .known_fd = -1, .files_fd = -1,
				  .exitcode = 66, .early = true, .direct = true, .races = true,
				  .omp_tasks = true, .heap = true, .quarantine = 4u << 20 };
	if (env) {
		hd_rt_print(text, sizeof(text), "%s", env);
		parse(text, ':');
	}
	fd = config_fd();
	if (fd >= 0) {
		long n = hd_sys(SYS_pread64, fd, text, sizeof(text) - 1, 0);

		hd_sys(SYS_close, fd);
		text[n > 0 ? n : 0] = 0;
		o->direct = o->omp_tasks = false;
		hd_rt_record_file[0] = 0;
		parse(text, '\n');
	}
	/* A plan names single accesses. */
	if (hd_rt_policy == &hd_rt_policy_plan) {
		o->switch_at = HD_AT_ACCESSES;
		o->exact = o->wide = true;
	}
	/* Where the policy says when deadlines strike, they do so then; rr is orderly. */
	if (o->wide || o->any_time || hd_rt_strcmp(o->policy, "rr") == 0)
		o->early = false;
	if (o->quantum == 0)
		o->quantum = 1;
	if (o->rr_quantum == 0)
		o->rr_quantum = 1;
	if (o->pct_length == 0)
		o->pct_length = 1;
}

size_t hd_rt_options_print(char *out, size_t size)
{
	static const char *const switches[] = { "sync", "atomics", "accesses" };
	const struct hd_options *o = &hd_rt.opt;

	return (size_t)hd_rt_print(out, size,
				   "policy=%s\nseed=%lu\nswitch-at=%s\nexact=%d\nspurious=%d\nearly=%d\n"
				   "calls=%d\npct-depth=%u\npct-length=%u\nrr-quantum=%u\n"
				   "stack-size=%lu\nmax-steps=%lu\nquantum=%u\nthreads=%u\n"
				   "heap=%d\nquarantine=%lu\n",
				   o->policy, o->seed, switches[o->switch_at], o->exact,
				   o->spurious, o->early, o->calls, o->pct_depth, o->pct_length,
				   o->rr_quantum, o->stack_size, o->max_steps, o->quantum, o->threads,
				   o->heap, o->quarantine);
}
