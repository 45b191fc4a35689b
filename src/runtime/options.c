#include "options.h"

#include <stdlib.h>

#include "runtime/explore/explore_sites.h"
#include "runtime/explore/inferred.h"
#include "runtime/memory/arena.h"
#include "runtime/process/relatives.h"
#include "runtime/sched/policy.h"
#include "runtime/sync/sections.h"
#include "runtime/weak/orders.h"
#include "sys.h"

char hd_rt_record_file[4096], hd_rt_suppressions[4096];

static void complain(const char *what, const char *word)
{
	char line[600];
	int n = hd_rt_print(line, sizeof(line), "heddle: %s '%s' in the options is ignored\n", what,
			    word);

	hd_sys(SYS_write, 2, line, n < (int)sizeof(line) ? n : (int)sizeof(line) - 1);
}

/* Parse key=value items; @text is cut up, and the options keep parts of it. */
static void parse(char *text, char separator)
{
	while (*text) {
		char *key = text, *value = NULL;
		enum hd_run_id id;

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
		id = hd_run_find(key);
		if (!value)
			complain("the word without a value", key);
		else if (id == HD_RUN_COUNT || !hd_run_config_set(&hd_rt.opt.config, id, value))
			complain("the unknown option or value", key);
	}
}

static int config_fd(void)
{
	const char *s = getenv("HEDDLE_CONFIG_FD");
	int fd = 0;

	if (!s)
		return -1;
	for (; *s >= '0' && *s <= '9'; s++)
		fd = fd * 10 + (*s - '0');
	/* Programs that this one starts are on their own. */
	unsetenv("HEDDLE_CONFIG_FD");
	return fd;
}

/* The file's name from wherever the program goes: it is read at the first finding. */
static void keep_suppressions(const char *file)
{
	char *to = hd_rt_suppressions;
	size_t size = sizeof(hd_rt_suppressions);
	long n = *file == '/' ? 0 : hd_sys(SYS_getcwd, to, size);

	hd_rt_print(to + (n > 0 ? n - 1 : 0), size - (size_t)(n > 0 ? n - 1 : 0), "%s%s",
		    n > 0 ? "/" : "", file);
}

/* What the words mean: lists become tables, and some go together. */
static void settle(struct hd_options *o)
{
	static const char *const records[] = { "none", "sync", "all" };

	for (unsigned i = 0; o->record_to && i < 3; i++) {
		if (hd_rt_strcmp(records[i], o->record_to) == 0) {
			o->record = i;
			o->record_to = NULL;
		}
	}
	if (o->record_to) {
		o->record = HD_REC_ALL;
		hd_rt_print(hd_rt_record_file, sizeof(hd_rt_record_file), "%s", o->record_to);
	}
	if (o->suppressions && o->direct)
		keep_suppressions(o->suppressions);
	if ((o->switch_sites && !hd_rt_sites_read(&hd_rt_switch_sites, o->switch_sites)) ||
	    (o->region_sites && !hd_rt_inferred_read(o->region_sites)) ||
	    (o->calm_regions && !hd_rt_sites_read(&hd_rt_calm_regions, o->calm_regions)))
		complain("the list of places", "");
	if (o->hold && !hd_rt_sections_read(o->hold))
		complain("the list of sections", "");
	if (o->again && !hd_rt_waits_read(o->again))
		complain("the list of waits", "");
	if (o->orders && !hd_rt_orders_read(o->orders))
		complain("the list of orders", "");
	hd_rt_policy = hd_rt_policy_of(o->policy);
	if (o->tasks == HD_ALGORITHM_NONE)
		o->tasks = HD_ALGORITHM_UNSAID;
	/* A plan names single accesses. */
	if (o->policy == HD_POLICY_PLAN) {
		o->switch_at = HD_AT_ACCESSES;
		o->exact = o->wide = true;
	}
	/* Where the policy says when deadlines strike, they do so then; rr is orderly. */
	if (o->wide || o->any_time || o->policy == HD_POLICY_RR)
		o->early = false;
	if (o->quantum == 0)
		o->quantum = 1;
	if (o->rr_quantum == 0)
		o->rr_quantum = 1;
	if (o->pct_length == 0)
		o->pct_length = 1;
	if (!o->after)
		o->after = "";
}

void hd_rt_options_read(void)
{
	static char environment[16384], text[131072];
	struct hd_options *o = &hd_rt.opt;
	const char *env = secure_getenv("HEDDLE_OPTIONS");
	int fd, ring = -1, followed = -1;

	hd_run_config_init(&o->config);
	o->direct = o->omp_tasks = true;
	if (env) {
		hd_rt_print(environment, sizeof(environment), "%s", env);
		parse(environment, ':');
	}
	fd = config_fd();
	if (hd_rt_follow_start(environ, &ring, &followed) && fd < 0)
		fd = followed;
	if (fd >= 0) {
		long n = hd_sys(SYS_pread64, fd, text, sizeof(text) - 1, 0);

		hd_sys(SYS_close, fd);
		text[n > 0 ? n : 0] = 0;
		o->direct = o->omp_tasks = false;
		o->record_to = NULL;
		parse(text, '\n');
		if (fd == followed)
			o->ring_fd = ring;
	}
	settle(o);
}

size_t hd_rt_options_print(char *out, size_t size)
{
	size_t len = 0;

	for (enum hd_run_id id = 0; id < HD_RUN_COUNT && len < size; id++) {
		char buf[HD_RUN_VALUE];
		const char *value = hd_run_config_get(&hd_rt.opt.config, id, buf);

		if (hd_run_infos[id].recorded && value)
			len += (size_t)hd_rt_print(out + len, size - len, "%s=%s\n",
						   hd_run_infos[id].key, value);
	}
	return len < size ? len : size;
}
