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
 * is left alone from there on. Variables of the function itself count if they are announced
 * as shared: the others are, or may be, a lane's own.
 */
#include "omp_rt.h"

#include "common/hash.h"
#include "runtime/observe/record.h"
#include "runtime/observe/tasks_online.h"
#include "runtime/observe/told_once.h"
#include "trace/found.h"

#define TABLE_LOG 12
#define SHARES	  32u
#define SITES	  64u

struct by {
	uint64_t lane; /* from 1; 0: nobody */
	unsigned site;
};

/* The last lane, and the one that came last in its body: by writes and by reads. */
struct place {
	uintptr_t addr;
	uint64_t loop;
	struct by last[2], latest[2];
};

struct omp_lanes {
	struct omp_lanes *next; /* spare ones */
	uint64_t loop, lane, safelen;
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
		.within = { .place = l->pc, .number = by->lane - 1, .kind = HD_IN_SIMD },
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
		.parallel = "lanes of a simd loop do each statement together",
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

	if (!bit || (l->done & bit))
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
	p = &l->table[hd_hash_bits(addr, TABLE_LOG)];
	if (p->addr != addr || p->loop != l->loop)
		*p = (struct place){ .addr = addr, .loop = l->loop };
	compare(l, p, &now, write, (uint32_t)len);
	p->last[!write] = now;
	latest = &p->latest[!write];
	if (!latest->lane || latest->site == now.site ||
	    (l->before[now.site] >> latest->site & 1) ||
	    (l->safelen && l->lane - latest->lane >= l->safelen))
		*latest = now;
}

void hd_omp_lanes(unsigned long safelen, const void *frame);
void hd_omp_lanes_share(const volatile void *addr, unsigned long len);
void hd_omp_lane(void);
void hd_omp_lanes_end(void);

HD_EXPORT void hd_omp_lanes(unsigned long safelen, const void *frame)
{
	struct omp_task *me = hd_omp_enter(HD_CALLER);
	struct omp_lanes *l = spare;

	if (!me || me->lanes)
		return;
	hd_omp_watch();
	if (l)
		spare = l->next;
	else
		l = hd_rt_alloc(sizeof(*l));
	l->loop = ++loops;
	l->lane = 0;
	l->safelen = safelen;
	l->frame = (uintptr_t)frame;
	l->pc = HD_CALLER;
	l->ctx = hd_rt_context();
	l->jumbled = false;
	l->nshares = l->nsites = l->at = 0;
	me->lanes = l;
	running++;
	hd_rt_on_access = access_in_lane;
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

HD_EXPORT void hd_omp_lanes_end(void)
{
	struct omp_task *me = hd_rt.cur ? hd_rt.cur->omp : NULL;
	struct omp_lanes *l = me ? me->lanes : NULL;

	if (!l)
		return;
	me->lanes = NULL;
	if (!--running)
		hd_rt_on_access = NULL;
	l->next = spare;
	spare = l;
}
