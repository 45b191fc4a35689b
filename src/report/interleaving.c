#include "interleaving.h"

#include <stdlib.h>
#include <string.h>

#include "trace_back.h"

#define FINDINGS_MAX 64u /* that get an interleaving */
#define HALF	     (HD_STEPS_SHOWN / 2)
#define MARK_BITS    14u
#define MARKED_MOST  1024u /* words of one place; of a longer one every access is looked at */
#define FEW_BYTES    64u   /* longer accesses are looked at in any case */

/* A finding while its window of events goes by. */
struct window {
	struct hd_finding *finding;
	uint64_t first, last;		       /* events */
	struct hd_step head[HALF], tail[HALF]; /* the tail is a ring */
	size_t nhead;
	uint64_t ntail; /* in all */
};

struct windows {
	struct window *all;
	size_t n;
	/* Hashed words that some finding is about: most accesses are to none of them. */
	uint64_t marks[(1u << MARK_BITS) / 64];
};

static bool is_synchronisation(unsigned op)
{
	return op == HD_OP_FORK || op == HD_OP_JOIN || op == HD_OP_THREAD_END ||
	       (op >= HD_OP_ACQUIRE && op <= HD_OP_RELEASE) ||
	       (op >= HD_OP_WAIT && op <= HD_OP_HB_ACQUIRE) || op == HD_OP_FENCE ||
	       op == HD_OP_BEGIN || op == HD_OP_END || op == HD_OP_FREE;
}

static bool is_access(unsigned op)
{
	return (op >= HD_OP_READ && op <= HD_OP_WRITE_RANGE) ||
	       (op >= HD_OP_ATOMIC_LOAD && op <= HD_OP_ATOMIC_CAS_FAIL);
}

static uint64_t length_of(const struct hd_event *ev)
{
	bool range = ev->op == HD_OP_READ_RANGE || ev->op == HD_OP_WRITE_RANGE;

	return range ? ev->value : ev->size ? ev->size : 1;
}

static bool touches(const struct hd_event *ev, const struct hd_finding *f)
{
	return ev->addr < f->location.addr + (f->location.size ? f->location.size : 1) &&
	       f->location.addr < ev->addr + length_of(ev);
}

bool hd_is_of_interest(const struct hd_finding *f, const struct hd_event *ev)
{
	bool involved = false;

	for (size_t i = 0; i < f->naccesses; i++)
		involved |= f->accesses[i].event.thread == ev->thread;
	if (is_access(ev->op))
		return f->kind != HD_KIND_LOCK_ORDER && touches(ev, f);
	return involved && is_synchronisation(ev->op);
}

static bool is_own(const struct hd_finding *f, uint64_t index)
{
	for (size_t i = 0; i < f->naccesses; i++) {
		if (f->accesses[i].index == index)
			return true;
	}
	return false;
}

/* Which of the reads of older values it is, + 1; 0: none. */
static size_t older_at(const struct hd_finding *f, uint64_t index)
{
	for (size_t i = 0; i < f->moment.nolder; i++) {
		if (f->moment.older[i].index == index)
			return i + 1;
	}
	return 0;
}

/* A failure that comes of older values has no accesses of its own: what was done where they were read. */
static bool touches_older(const struct hd_finding *f, const struct hd_event *ev)
{
	for (size_t i = 0; i < f->moment.nolder && is_access(ev->op); i++) {
		if (f->moment.older[i].read.addr == ev->addr)
			return true;
	}
	return false;
}

static bool is_shown(const struct hd_finding *f, const struct hd_event *ev)
{
	return f->naccesses ? hd_is_of_interest(f, ev) : touches_older(f, ev);
}

static void add_step(struct window *w, const struct hd_event *ev, bool own, size_t older)
{
	struct hd_step step = { .event = *ev, .is_access = own, .older = older };

	if (w->nhead < HALF)
		w->head[w->nhead++] = step;
	else
		w->tail[w->ntail++ % HALF] = step;
}

/* ---- which accesses need a look --------------------------------------------------------- */

static uint32_t mark_of(uint64_t word)
{
	return (uint32_t)(word * 0x9e3779b97f4a7c15u >> (64 - MARK_BITS));
}

static void mark(struct windows *all, uint64_t addr, uint64_t len)
{
	uint64_t first = addr / 8, last = (addr + (len ? len : 1) - 1) / 8;

	if (last < first || last - first >= MARKED_MOST) {
		memset(all->marks, 0xff, sizeof(all->marks));
		return;
	}
	for (uint64_t word = first; word <= last; word++)
		all->marks[mark_of(word) / 64] |= 1ull << mark_of(word) % 64;
}

static void mark_finding(struct windows *all, const struct hd_finding *f)
{
	mark(all, f->location.addr, f->location.size);
	for (size_t i = 0; i < f->naccesses; i++)
		mark(all, f->accesses[i].event.addr, length_of(&f->accesses[i].event));
	for (size_t i = 0; i < f->moment.nolder; i++)
		mark(all, f->moment.older[i].read.addr, 1);
}

/* False: @ev is an access to what no finding is about. */
static bool may_matter(const struct windows *all, const struct hd_event *ev)
{
	uint64_t len;

	if (!is_access(ev->op))
		return true;
	len = length_of(ev);
	if (len > FEW_BYTES)
		return true;
	for (uint64_t word = ev->addr / 8; word <= (ev->addr + len - 1) / 8; word++) {
		if (all->marks[mark_of(word) / 64] >> mark_of(word) % 64 & 1)
			return true;
	}
	return false;
}

static enum hd_err look(void *arg, const struct hd_event *events, size_t n, uint64_t first)
{
	const struct windows *all = arg;

	for (size_t i = 0; i < n; i++) {
		if (!may_matter(all, &events[i]))
			continue;
		for (size_t k = 0; k < all->n; k++) {
			struct window *w = &all->all[k];
			bool own;
			size_t older;

			if (first + i < w->first || first + i > w->last)
				continue;
			own = is_own(w->finding, first + i);
			older = older_at(w->finding, first + i);
			if (own || older || is_shown(w->finding, &events[i]))
				add_step(w, &events[i], own, older);
		}
	}
	return HD_OK;
}

/* Head and tail in one, with the switches marked. */
static bool keep(struct window *w)
{
	struct hd_finding_interleaving *shown = &w->finding->interleaving;
	uint64_t kept = w->ntail < HALF ? w->ntail : HALF;

	shown->steps = calloc(w->nhead + kept, sizeof(*shown->steps));
	if (!shown->steps)
		return false;
	for (size_t i = 0; i < w->nhead; i++)
		shown->steps[shown->nsteps++] = w->head[i];
	for (uint64_t i = w->ntail - kept; i < w->ntail; i++)
		shown->steps[shown->nsteps++] = w->tail[i % HALF];
	if (kept)
		shown->steps[w->nhead].skipped = w->ntail - kept;
	for (size_t i = 1; i < shown->nsteps; i++)
		shown->steps[i].switched =
			shown->steps[i].event.thread != shown->steps[i - 1].event.thread;
	return true;
}

/* The window of a finding whose accesses were all recorded, or that older values led to; false: it has none. */
static bool open_window(struct window *w, struct hd_finding *f)
{
	*w = (struct window){ .finding = f, .first = UINT64_MAX };
	for (size_t i = 0; i < f->naccesses; i++) {
		uint64_t index = f->accesses[i].index;

		if (index == HD_NO_INDEX)
			return false;
		if (index < w->first)
			w->first = index;
		if (index > w->last)
			w->last = index;
	}
	if (!f->naccesses && f->moment.nolder) {
		w->first = 0;
		w->last = f->moment.index;
	}
	return f->naccesses > 0 || f->moment.nolder;
}

/* ---- names of what the steps are about ----------------------------------------------- */

#define NAMED_EVENTS_MAX 2000000u /* a longer run is not read once more for names */

/* Addresses in no module of which nobody has asked yet: parts of heap blocks, mostly locks. */
static size_t list_unknown(const struct hd_run *run, const struct windows *all, uint64_t *addrs)
{
	size_t n = 0;

	for (size_t k = 0; k < all->n; k++) {
		const struct hd_finding_interleaving *shown = &all->all[k].finding->interleaving;

		for (size_t i = 0; i < shown->nsteps; i++) {
			uint64_t addr = shown->steps[i].event.addr;

			if (addr && !hd_run_place(run, addr) && !hd_run_module_at(run, addr))
				addrs[n++] = addr;
		}
	}
	return n;
}

static enum hd_err learn_places(void *arg, const struct hd_event *events, size_t n, uint64_t first)
{
	for (size_t i = 0; i < n; i++) {
		if (!hd_note_places(arg, &events[i]))
			return HD_ERR_NOMEM;
	}
	return HD_OK;
}

static enum hd_err name_steps(struct hd_run *run, const struct windows *all, struct hd_errbuf *eb)
{
	uint64_t *addrs = calloc(all->n * HD_STEPS_SHOWN + 1, sizeof(*addrs));
	size_t n = addrs ? list_unknown(run, all, addrs) : 0;
	bool ok = addrs && hd_run_know_places(run, addrs, n);

	free(addrs);
	if (!ok)
		return hd_fail(eb, HD_ERR_NOMEM, "out of memory");
	return n && run->events <= NAMED_EVENTS_MAX ? hd_run_each(run, learn_places, run, eb)
						    : HD_OK;
}

enum hd_err hd_interleave(struct hd_run *run, struct hd_errbuf *eb)
{
	struct windows all = { .all = calloc(FINDINGS_MAX, sizeof(*all.all)) };
	enum hd_err err = all.all ? HD_OK : hd_fail(eb, HD_ERR_NOMEM, "out of memory");

	/* Findings first: what is certain is what people look at. */
	for (int candidates = 0; candidates < 2 && !err; candidates++) {
		for (size_t i = 0; i < run->nfindings && all.n < FINDINGS_MAX; i++) {
			struct hd_finding *f = &run->findings[i];

			if (f->certainty.candidate != candidates ||
			    !open_window(&all.all[all.n], f))
				continue;
			mark_finding(&all, f);
			all.n++;
		}
	}
	if (!err && all.n)
		err = hd_run_each(run, look, &all, eb);
	for (size_t i = 0; i < all.n && !err; i++) {
		if (!keep(&all.all[i]))
			err = hd_fail(eb, HD_ERR_NOMEM, "out of memory");
	}
	if (!err)
		err = name_steps(run, &all, eb);
	free(all.all);
	return err;
}
