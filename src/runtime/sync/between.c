#include "between.h"

#include "runtime/io/io.h"
#include "runtime/memory/maps.h"
#include "runtime/sys.h"

enum sharing { PRIVATE, SHARED, SHARED_FILE };

/* What is known of address ranges. One that was mapped anew may be judged as before. */
#define RANGES 32u
static struct range {
	uintptr_t first, end;
	enum sharing sharing;
} ranges[RANGES];
static unsigned next_range;

static bool has(const char *line, const char *end, const char *word)
{
	for (; line < end; line++) {
		const char *a = line, *b = word;

		while (*b && a < end && *a == *b)
			a++, b++;
		if (!*b)
			return true;
	}
	return false;
}

struct question {
	uintptr_t addr;
	struct range *out;
	bool found;
};

static bool answer(const struct hd_mapping *m, void *arg)
{
	struct question *q = arg;

	if (q->addr < m->start || q->addr >= m->end)
		return true;
	q->found = true;
	q->out->first = m->start;
	q->out->end = m->end;
	q->out->sharing = !m->shared					     ? PRIVATE
			  : has(m->name, m->name_end, "/dev/zero (deleted)") ? SHARED /* no file */
									     : SHARED_FILE;
	return false;
}

static enum sharing sharing_of(uintptr_t addr)
{
	struct range new;
	struct question q = { .addr = addr, .out = &new };

	for (unsigned i = 0; i < RANGES; i++) {
		if (addr >= ranges[i].first && addr < ranges[i].end)
			return ranges[i].sharing;
	}
	if (!hd_rt_each_mapping(answer, &q) || !q.found)
		return PRIVATE;
	ranges[next_range++ % RANGES] = new;
	return new.sharing;
}

bool hd_rt_is_shared(uintptr_t addr)
{
	return sharing_of(addr) != PRIVATE;
}

void hd_rt_between_pause(const void *object)
{
	hd_rt_io_pause(hd_rt.cur, (uintptr_t)object);
}

static bool waits_between(const struct fiber *f)
{
	enum sharing s;

	switch (f->wait.why) {
	case HD_TS_MUTEX:
	case HD_TS_SEM:
	case HD_TS_RWLOCK_READ:
	case HD_TS_RWLOCK_WRITE:
	case HD_TS_SPIN:
	case HD_TS_OMP_LOCK:
	case HD_TS_COND:
	case HD_TS_FUTEX:
		s = f->state == HD_F_BLOCKED ? sharing_of(f->wait.addr) : PRIVATE;
		return s == SHARED_FILE || (s == SHARED && hd_rt_has_relatives);
	default:
		return false;
	}
}

static bool is_private(const struct hd_mapping *m, void *arg)
{
	bool *shares = arg;

	if (m->shared && m->writable && !has(m->name, m->name_end, "heddle") &&
	    !hd_rt_is_familys(m->start))
		*shares = true;
	return !*shares;
}

/* A loop may look at memory that a relative is about to change. */
static bool loops_between(void)
{
	bool shares = false;

	if (!hd_rt_has_relatives || !hd_rt.nrunnable)
		return false;
	return !hd_rt_each_mapping(is_private, &shares) || shares;
}

bool hd_rt_between_waits(void)
{
	bool any = loops_between();

	for (struct fiber *f = hd_rt.all; f; f = f->next) {
		if (!waits_between(f))
			continue;
		hd_rt_wake(f, HD_WOKEN);
		any = true;
	}
	if (any) {
		hd_rt_signals_pace(1000000);
		hd_rt_progress();
	}
	return any;
}
