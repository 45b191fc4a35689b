#include "common_state.h"

#include <sys/stat.h>
#include <unistd.h>

#include "await.h"
#include "common/hash.h"
#include "explore.h"
#include "runtime/io/descriptors.h"
#include "runtime/sys.h"
#include "state.h"

static char stands_for[HD_COMMON_N];
static uint64_t used; /* a digest of who has used any of it, and what it had done by then */

/* Before there were other threads, all came first. */
static bool is_shared(void)
{
	return hd_rt.nthreads > 1;
}

void hd_rt_common_touch_at(uintptr_t addr)
{
	uint64_t was = used;

	hd_rt_changes_unseen();
	if (!hd_rt.exploring || !is_shared())
		return;
	hd_rt_explore_touch(addr);
	hd_rt_explore_changes(); /* a loop that does this does not only look */
	used = hd_hash_all(was + hd_rt.cur->explore.state_past + hd_hash_number(hd_rt.cur->id));
	if (hd_rt.opt.states)
		hd_rt_state_change((uintptr_t)&used, was, used);
}

void hd_rt_common_soon(void)
{
	if (unlikely(hd_rt.opt.state_points) && is_shared())
		hd_rt_point();
}

void hd_rt_common_point_at(uintptr_t addr)
{
	hd_rt_common_soon();
	hd_rt_common_touch_at(addr);
}

void hd_rt_common_touch(enum hd_common what)
{
	hd_rt_common_touch_at((uintptr_t)&stands_for[what]);
}

void hd_rt_common_point(enum hd_common what)
{
	hd_rt_common_point_at((uintptr_t)&stands_for[what]);
}

/* What stands for the file that @fd leads to; 0: it leads to something else. */
static uintptr_t file_object(int fd)
{
	struct stat st;

	if (hd_sys(SYS_fstat, fd, &st) < 0 || !S_ISREG(st.st_mode))
		return 0;
	return hd_hash_pair(st.st_dev, st.st_ino);
}

static bool shows_output(int fd)
{
	return fd == STDOUT_FILENO || fd == STDERR_FILENO;
}

void hd_rt_common_file(int fd)
{
	uintptr_t file = hd_rt.exploring && is_shared() && !shows_output(fd) ? file_object(fd) : 0;

	if (file)
		hd_rt_common_touch_at(file);
}

void hd_rt_common_flags(int fd)
{
	uintptr_t file = hd_rt.exploring && is_shared() ? file_object(fd) : 0;

	hd_rt_common_touch_at(file ? file : hd_rt_fd_object(fd));
}

/* ---- what one fiber is to have for itself ------------------------------------- */

#define OWNERS 64

static struct {
	uintptr_t addr;
	uint32_t thread;
} owners[OWNERS];

/* Where @addr is, or where there is room; OWNERS: nowhere. */
static unsigned owner_slot(uintptr_t addr)
{
	unsigned room = OWNERS;

	for (unsigned i = 0; i < OWNERS; i++) {
		if (owners[i].addr == addr)
			return i;
		if (!owners[i].addr)
			room = i;
	}
	return room;
}

void hd_rt_common_use_alone(uintptr_t addr)
{
	uint32_t me = hd_rt.cur->id;
	unsigned i;

	hd_rt_changes_unseen();
	if (!hd_rt.exploring || !is_shared())
		return;
	i = owner_slot(addr);
	if (i == OWNERS || (owners[i].addr && owners[i].thread != me)) {
		hd_rt_explore_uses(HD_X_USES_STATES);
		return;
	}
	owners[i].addr = addr;
	owners[i].thread = me;
}

void hd_rt_common_forget(uintptr_t addr)
{
	unsigned i = hd_rt.exploring ? owner_slot(addr) : OWNERS;

	if (i < OWNERS)
		owners[i].addr = 0;
}

void hd_rt_common_change(void)
{
	hd_rt_changes_unseen();
	if (hd_rt.nlive > 1)
		hd_rt_explore_uses(HD_X_USES_STATES);
}
