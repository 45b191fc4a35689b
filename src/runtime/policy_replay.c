/*
 * replay: the decisions of a schedule, one after the other. After the last one,
 * or once the program has left the schedule, the default takes over.
 */
#include "policy.h"

#include <sys/mman.h>
#include <sys/stat.h>

#include "findings.h"
#include "sys.h"

#define SCHEDULE_AT 0x0b0000000000ul

static const uint32_t *choices;
static uint64_t nchoices, next;
static bool diverged;

static void init(void)
{
	struct stat st;
	int fd = hd_rt.opt.schedule_fd;
	long p;

	if (fd < 0 || hd_sys(SYS_fstat, fd, &st) < 0 || st.st_size == 0)
		return;
	/* Where a run that is not a replay has nothing either, so that addresses stay the same. */
	p = hd_sys(SYS_mmap, SCHEDULE_AT, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	hd_sys(SYS_close, fd);
	if (p < 0 && p > -4096)
		return;
	choices = (const uint32_t *)p;
	nchoices = (uint64_t)st.st_size / sizeof(*choices);
}

static unsigned pick(enum hd_pick why, struct fiber *const *cand, unsigned n, int cur)
{
	if (!diverged && next < nchoices) {
		uint32_t want = choices[next++];

		for (unsigned i = 0; i < n; i++) {
			if (cand[i]->id == want)
				return i;
		}
		diverged = true;
		hd_rt_diverged(next, want);
	}
	return hd_rt_pick_default(why, cand, n, cur);
}

void hd_rt_replay_end(void)
{
	if (hd_rt_policy == &hd_rt_policy_replay && !diverged && next < nchoices)
		hd_rt_ended_early(next, nchoices);
}

const struct hd_policy hd_rt_policy_replay = { .name = "replay", .init = init, .pick = pick };
