#include "sections.h"

#include <sys/syscall.h>

#include "mutex.h"
#include "object_type.h"
#include "runtime/explore/explore_sites.h"
#include "runtime/memory/arena.h"
#include "runtime/sys.h"

#define SECTIONS 16u
#define ANYWHERE 0xffffu /* of UP: until the thread ends */

static struct section {
	uintptr_t lock, from, to, up;
} sections[SECTIONS];
unsigned hd_rt_nsections;

static pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;

static int digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* A number and what comes after it, which is @end or the end of all. */
static bool read_number(const char **list, uintptr_t *out, char end)
{
	const char *p = *list;

	for (*out = 0; digit_of(*p) >= 0; p++)
		*out = *out << 4 | (uintptr_t)digit_of(*p);
	if (p == *list || (*p != end && (*p || end != ';')))
		return false;
	*list = *p ? p + 1 : p;
	return true;
}

bool hd_rt_sections_read(const char *list)
{
	while (*list) {
		struct section *s = &sections[hd_rt_nsections];

		if (hd_rt_nsections == SECTIONS || !read_number(&list, &s->lock, ',') ||
		    !read_number(&list, &s->from, ',') || !read_number(&list, &s->to, ',') ||
		    !read_number(&list, &s->up, ';'))
			return false;
		hd_rt_sites_add(&hd_rt_switch_sites, s->from);
		hd_rt_sites_add(&hd_rt_switch_sites, s->to);
		hd_rt_nsections++;
	}
	return true;
}

#define WAITS 4u

static struct wait {
	uintptr_t at, addr, size, value;
} waits[WAITS];
static unsigned nwaits;

bool hd_rt_waits_read(const char *list)
{
	while (*list) {
		struct wait *w = &waits[nwaits];

		if (nwaits == WAITS || !read_number(&list, &w->at, ',') ||
		    !read_number(&list, &w->addr, ',') || !read_number(&list, &w->size, ',') ||
		    !read_number(&list, &w->value, ';') || w->size > sizeof(w->value))
			return false;
		nwaits++;
	}
	return true;
}

static bool is_there(uintptr_t addr)
{
	unsigned char in_core;

	return !hd_sys(SYS_mincore, addr & ~(uintptr_t)4095, 1, &in_core);
}

bool hd_rt_waits_again(const struct fiber *me)
{
	for (unsigned i = 0; i < nwaits; i++) {
		uintptr_t value = 0;

		if (waits[i].at != me->pc || !is_there(waits[i].addr))
			continue;
		hd_rt_copy(&value, (const void *)waits[i].addr, waits[i].size);
		if (value == waits[i].value)
			return true;
	}
	return false;
}

/* The stack pointer of the caller of the function that must not be left. */
static uintptr_t outside_of(const struct section *s)
{
	const struct hd_call *call = heddle_inline1_top;

	if (!call || s->up == ANYWHERE)
		return UINTPTR_MAX;
	for (uintptr_t i = 0; i <= s->up && call->sp != HD_CALLS_ROOT; i++)
		call++;
	return call->sp;
}

static bool has_left(const struct fiber *me)
{
	const struct hd_call *top = heddle_inline1_top;

	return me->locks.kept_below != UINTPTR_MAX && (!top || top->sp >= me->locks.kept_below);
}

void hd_rt_section_leave(struct fiber *me)
{
	pthread_mutex_t *m = me->locks.kept;

	if (!m)
		return;
	me->locks.kept = NULL;
	hd_rt_mutex_drop(m);
}

void hd_rt_section_over(struct fiber *me)
{
	if (me->locks.kept && (me->locks.kept_ends || has_left(me)))
		hd_rt_section_leave(me);
}

#define GIVEN 1u /* of LOCK: it is in memory that the program was given */

/* NULL: there is none in this run. */
static pthread_mutex_t *lock_of(const struct section *s)
{
	pthread_mutex_t *m = (pthread_mutex_t *)(s->lock & ~(uintptr_t)GIVEN);
	uint16_t *type = hd_rt_object_type(m);

	if (!s->lock)
		return &own;
	if (s->lock & GIVEN && (!is_there((uintptr_t)type) || *type != HD_OBJECT_MUTEX))
		return NULL;
	return m;
}

void hd_rt_section_at(struct fiber *me)
{
	for (unsigned i = 0; i < hd_rt_nsections && !me->locks.kept; i++) {
		const struct section *s = &sections[i];
		pthread_mutex_t *m = s->from == me->pc ? lock_of(s) : NULL;

		if (!m)
			continue;
		hd_rt_mutex_keep(m);
		me->locks.kept = m;
		me->locks.kept_below = outside_of(s);
		me->locks.kept_to = s->to;
		me->locks.kept_ends = false;
	}
	if (me->locks.kept && me->pc == me->locks.kept_to)
		me->locks.kept_ends = true;
}
