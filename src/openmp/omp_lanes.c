/*
 * Lanes of simd loops. `heddle cc` tells of a loop with `simd` alone (cc/omp_pragmas.c); its iterations run one
 * after the other here. On a machine with vectors, lanes do a statement together and then the next one.
 *
 * So two accesses of different lanes to one location, one of them a write, race if the loop's order has them
 * the other way round than lanes in step would: what the later lane does comes first in the body. Where that
 * agrees (a later statement of the next lane reads what an earlier one wrote) nothing is reported,
 * as compilers keep that order. Lanes that are `safelen` or more apart never run together.
 *
 * Which of two accesses comes first in the body is what lanes have shown: one that made both. Only those count
 * that the loop's function makes itself. A body that makes one twice, or two in both orders (it has a loop),
 * is left alone from there on. Of a `loop` that binds to its thread, iterations come in any order:
 * all pairs of different ones count, unless a lock is held or the memory is the thread's own. So it is with what
 * one thread runs of a loop with `inscan`, in each of its two phases; what threads do beside each other is for
 * the analysis of tasks. Variables of the function itself count if they are announced
 * as shared: the others are, or may be, a lane's own.
 */
#include "omp_iteration.h"

#include "common/hash.h"
#include "runtime/abi/inline_check.h"
#include "runtime/observe/record.h"
#include "runtime/observe/tasks_online.h"
#include "runtime/observe/told_once.h"
#include "trace/found.h"

#include <limits.h>

#define TABLE_LOG 12
#define SHARES	  32u
#define SITES	  64u

struct by {
	uint64_t lane; /* from 1; 0: nobody */
	unsigned site;
};

/* As in cc/omp_pragmas.c, for `safelen`. */
#define UNORDERED ULONG_MAX

/*
 * The last lane, and the one that came last in its body (without order: another one than the last): by
 * writes and by reads.
 */
struct place {
	uintptr_t addr;
	uint64_t loop;
	struct by last[2], latest[2];
};

struct omp_lanes {
	struct omp_lanes *next; /* spare ones */
	uint64_t loop, lane, safelen;
	uint64_t memory; /* hd_rt_tasks_memory, when the table was begun */
	bool scan;	 /* of a loop with `inscan`, in this region by this thread: */
	uintptr_t region;
	unsigned thread;
	uintptr_t frame, pc; /* pc: of the loop */
	uint32_t ctx;
	bool jumbled;
	/* Accesses of the body, in the order of their first time. */
	uintptr_t sites[SITES];
	uint64_t before[SITES]; /* those that a lane made before it, as bits */
	uint64_t done;		/* those of the present lane */
	unsigned nsites, at;	/* at: that of the last access */
	unsigned nshares;
	struct {
		uintptr_t addr;
		size_t len;
	} shares[SHARES];
	struct place table[1u << TABLE_LOG]; /* where two meet, the newer one stays */
};

static bool is_unordered(const struct omp_lanes *l)
{
	return l->safelen == UNORDERED;
}

static struct omp_lanes *spare;
static uint64_t loops;
static unsigned running;

static bool is_shared(const struct omp_lanes *l, uintptr_t addr)
{
	/* Between here and the loop's frame are its own variables, and those of what it calls. */
	if (addr < (uintptr_t)__builtin_frame_address(0) || addr >= l->frame)
		return true;
	for (unsigned i = 0; i < l->nshares; i++) {
		if (addr - l->shares[i].addr < l->shares[i].len)
			return true;
	}
	return false;
}

/* Of a loop with `inscan` it is known which thread runs an iteration, but not which one it is. */
static struct hd_within within(const struct omp_lanes *l, const struct by *by)
{
	if (l->scan)
		return (struct hd_within){ .place = l->region,
					   .number = l->thread,
					   .kind = HD_IN_PARALLEL };
	return (struct hd_within){ .place = l->pc,
				   .number = by->lane - 1,
				   .kind = is_unordered(l) ? HD_IN_LOOP : HD_IN_SIMD };
}

static struct hd_found_access access_of(const struct omp_lanes *l, const struct by *by,
					uintptr_t addr, uint32_t size, bool write)
{
	return (struct hd_found_access){
		.index = HD_NO_INDEX,
		.event = { .addr = addr,
			   .op = write ? HD_OP_WRITE : HD_OP_READ,
			   .size = size,
			   .thread = hd_rt.cur->id,
			   .pc = l->sites[by->site],
			   .ctx = l->ctx },
		.within = within(l, by),
	};
}

static void tell(const struct omp_lanes *l, const struct by *first, bool first_writes,
		 const struct by *second, bool second_writes, uintptr_t addr, uint32_t size)
{
	static struct hd_told_once told;
	const struct hd_found_access both[] = {
		access_of(l, second, addr, size, second_writes),
		access_of(l, first, addr, size, first_writes),
	};
	const struct hd_found f = {
		.kind = HD_KIND_TASK_RACE,
		.addr = addr,
		.size = size,
		.group = -1,
		.parallel = l->scan ? "iterations come in any order, also those of one thread"
			    : is_unordered(l) ? "iterations come in any order"
					      : "lanes of a simd loop do each statement together",
		.units = true,
		.accesses = both,
		.naccesses = 2,
	};

	if (!hd_told_before(&told, l->sites[first->site], l->sites[second->site]))
		hd_rt_tell_task_found(NULL, &f);
}

/* An access that @before was made earlier, by another lane: would lanes in step turn them round? */
static bool turns_round(const struct omp_lanes *l, const struct by *before, const struct by *now)
{
	if (is_unordered(l))
		return before->lane && before->lane != now->lane;
	return before->lane && before->lane < now->lane &&
	       (!l->safelen || now->lane - before->lane < l->safelen) &&
	       (l->before[before->site] >> now->site & 1);
}

static void compare(const struct omp_lanes *l, struct place *p, const struct by *now, bool write,
		    uint32_t size)
{
	for (int reads = 0; reads <= write; reads++) {
		const struct by *before = turns_round(l, &p->latest[reads], now) ? &p->latest[reads]
										 : &p->last[reads];

		if (turns_round(l, before, now))
			tell(l, before, !reads, now, write, p->addr, size);
	}
}

/* Where @pc is among the sites; SITES: there is no room. */
static unsigned site_of(struct omp_lanes *l, uintptr_t pc)
{
	unsigned i = l->at + 1;

	if (i < l->nsites && l->sites[i] == pc)
		return i;
	for (i = 0; i < l->nsites; i++) {
		if (l->sites[i] == pc)
			return i;
	}
	if (i == SITES)
		return SITES;
	l->sites[i] = pc;
	l->before[i] = 0;
	return l->nsites++;
}

/* The lane is at @site. False: the body's order is not known. */
static bool go_on(struct omp_lanes *l, unsigned site)
{
	uint64_t bit = site < SITES ? 1ull << site : 0, news;

	if (!bit)
		return false;
	if (is_unordered(l)) {
		l->at = site;
		return true;
	}
	if (l->done & bit)
		return false;
	for (news = l->done & ~l->before[site]; news; news &= news - 1) {
		if (l->before[__builtin_ctzll(news)] & bit)
			return false;
	}
	l->before[site] |= l->done;
	l->done |= bit;
	l->at = site;
	return true;
}

/* Where iterations come in any order: is it memory that they share, without a lock? */
static bool unordered_counts(struct omp_lanes *l, uintptr_t addr)
{
	if (l->memory != hd_rt_tasks_memory) {
		l->memory = hd_rt_tasks_memory;
		l->loop = ++loops; /* what is there now may be another block */
	}
	return !hd_rt.cur->locks.n && !hd_rt_tasks_own(addr);
}

static void access_in_lane(uintptr_t addr, uint64_t len, bool write, uintptr_t pc)
{
	const struct omp_task *me = hd_rt.cur->omp;
	struct omp_lanes *l = me ? me->lanes : NULL;
	struct by now, *latest;
	struct place *p;

	if (!l || !l->lane || l->jumbled || hd_rt_context() != l->ctx)
		return;
	now = (struct by){ l->lane, site_of(l, pc) };
	l->jumbled = !go_on(l, now.site);
	if (l->jumbled || len > 16 || !is_shared(l, addr))
		return;
	if (is_unordered(l) && !unordered_counts(l, addr))
		return;
	p = &l->table[hd_hash_bits(addr, TABLE_LOG)];
	if (p->addr != addr || p->loop != l->loop)
		*p = (struct place){ .addr = addr, .loop = l->loop };
	compare(l, p, &now, write, (uint32_t)len);
	latest = &p->latest[!write];
	if (is_unordered(l) && p->last[!write].lane != now.lane)
		*latest = p->last[!write];
	p->last[!write] = now;
	if (is_unordered(l))
		return;
	if (!latest->lane || latest->site == now.site ||
	    (l->before[now.site] >> latest->site & 1) ||
	    (l->safelen && l->lane - latest->lane >= l->safelen))
		*latest = now;
}

void hd_omp_lanes(unsigned long safelen, const void *frame);
void hd_omp_lanes_share(const volatile void *addr, unsigned long len);
void hd_omp_lane(void);
void hd_omp_lanes_end(void);

static void begin(struct omp_task *me, unsigned long safelen, const void *frame, uintptr_t pc)
{
	struct omp_lanes *l = spare;

	hd_omp_watch();
	if (l)
		spare = l->next;
	else
		l = hd_rt_alloc(sizeof(*l));
	l->loop = ++loops;
	l->lane = 0;
	l->safelen = safelen;
	l->frame = (uintptr_t)frame;
	l->pc = pc;
	l->memory = hd_rt_tasks_memory;
	l->scan = false;
	l->ctx = hd_rt_context();
	l->jumbled = false;
	l->nshares = l->nsites = l->at = 0;
	me->lanes = l;
	running++;
	hd_rt_on_access = access_in_lane;
	hd_rt_inline_refresh();
}

HD_EXPORT void hd_omp_lanes(unsigned long safelen, const void *frame)
{
	struct omp_task *me = hd_omp_enter(HD_CALLER);

	if (me && !me->lanes)
		begin(me, safelen, frame, HD_CALLER);
}

HD_EXPORT void hd_omp_lanes_share(const volatile void *addr, unsigned long len)
{
	const struct omp_task *me = hd_rt.cur ? hd_rt.cur->omp : NULL;
	struct omp_lanes *l = me ? me->lanes : NULL;

	if (!l || l->nshares == SHARES)
		return;
	l->shares[l->nshares].addr = (uintptr_t)addr;
	l->shares[l->nshares++].len = len;
}

HD_EXPORT void hd_omp_lane(void)
{
	const struct omp_task *me = hd_rt.cur ? hd_rt.cur->omp : NULL;
	struct omp_lanes *l = me ? me->lanes : NULL;

	if (!l)
		return;
	l->lane++;
	l->done = 0;
}

static void end(struct omp_task *me)
{
	struct omp_lanes *l = me->lanes;

	me->lanes = NULL;
	if (!--running) {
		hd_rt_on_access = NULL;
		hd_rt_inline_refresh();
	}
	l->next = spare;
	spare = l;
}

HD_EXPORT void hd_omp_lanes_end(void)
{
	struct omp_task *me = hd_rt.cur ? hd_rt.cur->omp : NULL;

	if (me && me->lanes)
		end(me);
}

/* ---- inscan ---------------------------------------------------------------------------------------- */

void hd_omp_scan(void);
void hd_omp_scan_lane(int alone, const void *frame);

/* A loop with `inscan` comes: from here on it is gcc that asks for the thread's number. */
HD_EXPORT void hd_omp_scan(void)
{
	struct omp_task *me = hd_rt.cur ? hd_rt.cur->omp : NULL;

	if (me)
		me->scan_by_thread = me->thread->marked;
}

/* An iteration of either phase begins. @alone: the loop is all of its region, so nothing knew the thread before it. */
HD_EXPORT void hd_omp_scan_lane(int alone, const void *frame)
{
	struct omp_task *me = hd_omp_enter(HD_CALLER);

	if (!me || me->kind != OMP_IMPLICIT || (!alone && me->scan_by_thread))
		return;
	if (!me->lanes) {
		begin(me, UNORDERED, frame, HD_CALLER);
		me->lanes->scan = true;
		me->lanes->region = me->own.place;
		me->lanes->thread = me->thread->num;
	}
	hd_omp_lane();
}

void hd_omp_scan_by_thread(struct omp_task *me)
{
	if (me->lanes && me->lanes->scan)
		me->lanes->jumbled = true;
}

void hd_omp_scan_phase_over(struct omp_task *me)
{
	if (me->lanes && me->lanes->scan)
		end(me);
}
