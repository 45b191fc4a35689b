#include "correlate_model.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/array.h"
#include "report/explain.h"
#include "torn_order.h"

#define MEMBERS_MAX 512 /* words of a set that are looked at for names */

/* ---- the trace -------------------------------------------------------------------- */

static void put_modules(struct hd_trace_writer *w, const struct hd_cr_result *r)
{
	for (size_t i = 0; i < r->nmodules; i++) {
		const struct hd_cr_module *m = &r->modules[i];
		uint32_t name = (uint32_t)i + 1;

		hd_trace_put_string(w, name, m->path, strlen(m->path));
		hd_trace_put(w, &(struct hd_event){ .op = HD_OP_MODULE,
						    .thread = 1,
						    .addr = m->base,
						    .value = m->len,
						    .value2 = name });
	}
}

static void put_threads(struct hd_trace_writer *w, const struct hd_cr_result *r)
{
	for (size_t i = 0; i < r->nthreads; i++) {
		const struct hd_cr_thread *t = &r->threads[i];

		if (t->creator)
			hd_trace_put(w, &(struct hd_event){ .op = HD_OP_FORK,
							    .thread = t->creator,
							    .value = t->number,
							    .pc = t->pc,
							    .ctx = t->ctx });
		hd_trace_put(w,
			     &(struct hd_event){ .op = HD_OP_THREAD_BEGIN, .thread = t->number });
	}
}

static enum hd_err write_trace(int fd, const struct hd_cr_result *r,
			       const struct hd_trace_meta *meta, const struct hd_trace_end *end,
			       struct hd_errbuf *eb)
{
	struct hd_trace_writer *w;
	enum hd_err err = hd_trace_create_fd(&w, fd, "the result", meta, eb);

	if (err)
		return err;
	for (size_t i = 0; i < r->ncontexts; i++)
		hd_trace_put_context(w, r->contexts[i].number, r->contexts[i].parent,
				     r->contexts[i].pc);
	put_modules(w, r);
	put_threads(w, r);
	for (size_t i = 0; i < r->nblocks; i++) {
		const struct hd_cr_block *b = &r->blocks[i];

		hd_trace_put(w, &(struct hd_event){ .op = HD_OP_ALLOC,
						    .thread = b->thread,
						    .addr = b->addr,
						    .value = b->size,
						    .pc = b->pc,
						    .ctx = b->ctx });
	}
	return hd_trace_finish(w, end, eb);
}

static enum hd_err open_trace(struct hd_trace **trace, const struct hd_cr_result *r,
			      const struct hd_trace_meta *meta, const struct hd_trace_end *end,
			      struct hd_errbuf *eb)
{
	int fd = memfd_create("heddle-correlate", MFD_CLOEXEC);
	int again = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 3);
	char path[64];
	enum hd_err err;

	*trace = NULL;
	if (again < 0) {
		if (fd >= 0)
			close(fd);
		return hd_fail(eb, HD_ERR_IO, "no memory file for the result");
	}
	err = write_trace(fd, r, meta, end, eb); /* closes it */
	snprintf(path, sizeof(path), "/proc/self/fd/%d", again);
	if (!err)
		err = hd_trace_open(trace, path, eb);
	close(again);
	return err;
}

/* ---- findings ------------------------------------------------------------------------ */

static const char *const why[] = {
	[HD_CR_RACE] = "no lock is held at both accesses, and nothing orders them",
	[HD_CR_RELEASED] =
		"the lock was released in between: what is written at the end was computed "
		"from what was read at the beginning, and another thread can change it "
		"meanwhile",
	[HD_CR_REPEATED] =
		"the lock was released in between: what was read at the beginning decides "
		"whether there is the write at the end. Another thread runs the same code; "
		"between the two it sees the same, and writes as well",
	[HD_CR_INDEXED] =
		"the lock was released in between: what was read at the beginning says which "
		"entry was written, and is advanced at the end. Another thread that comes "
		"between writes the same entry, or one is left out",
	[HD_CR_TORN] =
		"the lock was released in between: the first and the last access belong to one "
		"operation, and a critical section of another thread that uses both variables "
		"can come between them, so that it sees or leaves a mixture",
	[HD_CR_LOCKS] =
		("variables that get their values from one source are protected by different "
		 "locks, so others can see the one without the other"),
	[HD_CR_LOCKSET] =
		"by the paper's algorithm: these belong together, are written, and no lock is held "
		"throughout each operation that uses them",
	[HD_CR_ORDERED] =
		"no lock is held at both accesses; locks put them in order in this run, as "
		"they happened to be taken",
};

static bool add_access(struct hd_run *run, struct hd_finding *f, const struct hd_cr_access *from)
{
	static const uint8_t ops[] = { [HD_CR_READ] = HD_OP_READ,
				       [HD_CR_WRITE] = HD_OP_WRITE,
				       [HD_CR_ATOMIC] = HD_OP_ATOMIC_RMW };
	struct hd_access *a = hd_finding_add_access(f);

	if (!a)
		return false;
	a->role = from->role;
	a->event = (struct hd_event){ .op = ops[from->op],
				      .thread = from->thread,
				      .addr = from->addr,
				      .size = from->size,
				      .pc = from->pc,
				      .ctx = from->ctx };
	for (size_t i = 0; i < from->nlocks; i++) {
		const struct hd_cr_lock *l = &from->locks[i];
		uint16_t mode = (uint16_t)((l->kind << 4) | (l->shared ? HD_LOCK_SHARED : 0));

		if (!hd_access_add_held(run, a,
					(struct hd_holding){ .thread = from->thread,
							     .addr = l->addr,
							     .mode = mode }))
			return false;
	}
	return true;
}

static bool add_member(struct hd_finding *f, uint64_t addr, uint32_t size)
{
	for (size_t i = 0; i < f->location.nmembers; i++) {
		if (f->location.members[i].addr == addr)
			return true;
	}
	if (!HD_ROOM(f->location.members, f->location.members_cap, f->location.nmembers + 1))
		return false;
	f->location.members[f->location.nmembers++] =
		(struct hd_member){ .addr = addr, .size = size };
	return true;
}

static bool is_same_set(const struct hd_cr_finding *a, const struct hd_cr_finding *b)
{
	return a->set ? a->set == b->set : !b->set && a->addr == b->addr;
}

/* The words of set @set, which are together in the array. */
static size_t words_of(const struct hd_cr_result *r, uint32_t set, const struct hd_cr_word **first)
{
	size_t low = 0, n = 0;

	while (low < r->nwords && r->words[low].set < set)
		low++;
	while (low + n < r->nwords && r->words[low + n].set == set)
		n++;
	*first = n ? &r->words[low] : NULL;
	return n;
}

/*
 * Is the variable that word @w of a set is part of accessed by several threads, and
 * written? Of an array each may have its own elements; what has no name is taken by itself.
 */
static bool is_shared(const struct hd_run *run, const struct hd_cr_word *words, size_t n, size_t w)
{
	char name[512], other[512];
	struct hd_member m = { .addr = words[w].addr, .size = words[w].size };
	uint64_t threads = words[w].threads;
	bool written = words[w].written;

	if (hd_member_name(run, &m, name, sizeof(name))) {
		for (size_t i = 0; i < n; i++) {
			m = (struct hd_member){ .addr = words[i].addr, .size = words[i].size };
			if (hd_member_name(run, &m, other, sizeof(other)) && !strcmp(name, other)) {
				threads |= words[i].threads;
				written |= words[i].written;
			}
		}
	}
	return written && (threads & (threads - 1));
}

/* All that the set's findings are about, and what else is in the set. */
static bool add_members(const struct hd_run *run, struct hd_finding *f,
			const struct hd_cr_result *r, const struct hd_cr_finding *first)
{
	const struct hd_cr_word *words;
	size_t n = first->set ? words_of(r, first->set, &words) : 0;

	for (size_t i = 0; i < r->nfindings; i++) {
		const struct hd_cr_finding *other = &r->findings[i];

		if (!is_same_set(first, other))
			continue;
		for (size_t k = 0; k < other->naccesses; k++) {
			if (!add_member(f, other->accesses[k].addr, other->accesses[k].size))
				return false;
		}
	}
	if (n > MEMBERS_MAX)
		n = MEMBERS_MAX;
	for (size_t i = 0; i < n; i++) {
		if (is_shared(run, words, n, i) && !add_member(f, words[i].addr, words[i].size))
			return false;
	}
	return true;
}

static bool is_first_of_set(const struct hd_cr_result *r, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (is_same_set(&r->findings[i], &r->findings[n]))
			return false;
	}
	return true;
}

size_t hd_cr_finding_of(const struct hd_cr_result *r, size_t n)
{
	size_t number = 0;

	for (size_t i = 0; !is_same_set(&r->findings[i], &r->findings[n]); i++)
		number += is_first_of_set(r, i);
	return number;
}

/* Of a set's findings the one to show: the simplest kind; of that, one with two writes last. */
static const struct hd_cr_finding *best_of_set(const struct hd_cr_result *r, size_t n,
					       uint64_t *others)
{
	const struct hd_cr_finding *best = &r->findings[n];

	*others = 0;
	for (size_t i = n; i < r->nfindings; i++) {
		const struct hd_cr_finding *f = &r->findings[i];

		if (!is_same_set(&r->findings[n], f))
			continue;
		++*others;
		if (f->kind < best->kind)
			best = f;
	}
	--*others;
	return best;
}

static bool add_finding(struct hd_run *run, const struct hd_cr_result *r, size_t n)
{
	const struct hd_cr_finding *from;
	struct hd_finding *f;
	uint64_t others;

	from = best_of_set(r, n, &others);
	f = hd_run_new_finding(run);
	if (!f)
		return false;
	f->certainty.candidate = from->kind == HD_CR_ORDERED;
	f->kind = from->kind == HD_CR_RACE || f->certainty.candidate ? HD_KIND_RACE
								     : HD_KIND_EXTENDED_RACE;
	f->location.addr = from->addr;
	f->location.size = from->size;
	f->merged = others;
	f->certainty.analysed = true;
	f->moment.index = HD_NO_INDEX - 1;
	f->why = strdup(why[from->kind]);
	for (size_t i = 0; i < from->naccesses; i++) {
		if (!add_access(run, f, &from->accesses[i]))
			return false;
	}
	f->moment.thread = from->naccesses ? from->accesses[from->naccesses - 1].thread : 0;
	return f->why && hd_run_know_place(run, f->location.addr);
}

/* Is it about more than one variable? Only names can tell. */
static void settle_kind(const struct hd_run *run, struct hd_finding *f)
{
	char first[512] = "", name[512];
	size_t names = 0, nameless = 0;

	for (size_t i = 0; i < f->location.nmembers; i++) {
		if (!hd_member_name(run, &f->location.members[i], name, sizeof(name))) {
			nameless++;
		} else if (!names || strcmp(first, name)) {
			names += !names || strcmp(first, name);
			if (names == 1)
				snprintf(first, sizeof(first), "%s", name);
		}
	}
	if (f->kind == HD_KIND_RACE && names + (nameless > 0) > 1)
		f->kind = HD_KIND_EXTENDED_RACE;
	if (f->kind == HD_KIND_RACE)
		f->location.nmembers = 0;
}

enum hd_err hd_cr_run(struct hd_run *run, struct hd_trace **trace, const struct hd_cr_result *r,
		      const struct hd_trace_meta *meta, const struct hd_trace_end *end,
		      struct hd_errbuf *eb)
{
	enum hd_err err;

	*run = (struct hd_run){ 0 };
	err = open_trace(trace, r, meta, end, eb);
	if (!err)
		err = hd_run_read(run, *trace, NULL, NULL, eb);
	for (size_t i = 0; !err && i < r->nfindings; i++) {
		if (is_first_of_set(r, i) && !add_finding(run, r, i))
			err = hd_fail(eb, HD_ERR_NOMEM, "out of memory for findings");
	}
	if (!err)
		err = hd_run_complete(run, eb);
	for (size_t i = 0, n = 0; !err && i < r->nfindings; i++) {
		if (!is_first_of_set(r, i))
			continue;
		if (!add_members(run, &run->findings[n], r, &r->findings[i]))
			err = hd_fail(eb, HD_ERR_NOMEM, "out of memory for findings");
		if (!err && !hd_cr_torn_order(&run->findings[n]))
			err = hd_fail(eb, HD_ERR_NOMEM, "out of memory for findings");
		settle_kind(run, &run->findings[n++]);
	}
	return err;
}

/* ---- groups ------------------------------------------------------------------------------ */

static bool add_group(struct hd_groups *groups)
{
	char name[32];

	if (!HD_ROOM(groups->groups, groups->room, groups->ngroups + 1))
		return false;
	snprintf(name, sizeof(name), "set%zu", groups->ngroups + 1);
	groups->groups[groups->ngroups] =
		(struct hd_group){ .kind = HD_GROUP_VARIABLES, .name = strdup(name) };
	return groups->groups[groups->ngroups++].name != NULL;
}

static bool add_name(struct hd_group *g, const char *name)
{
	for (size_t i = 0; i < g->nmembers; i++) {
		if (!strcmp(g->members[i].name, name))
			return true;
	}
	if (!HD_ROOM(g->members, g->members_room, g->nmembers + 1))
		return false;
	g->members[g->nmembers] = (struct hd_group_member){ .name = strdup(name) };
	return g->members[g->nmembers++].name != NULL;
}

static void drop_last(struct hd_groups *groups)
{
	struct hd_group *g = &groups->groups[--groups->ngroups];

	for (size_t i = 0; i < g->nmembers; i++)
		free(g->members[i].name);
	free(g->members);
	free(g->place);
	free(g->name);
}

/* A whole array, not its elements one by one; names as groups.md has them. */
static void plain_name(char *name)
{
	char *index = strchr(name, '[');

	if (index)
		*index = 0;
}

static const struct hd_cr_block *block_of(const struct hd_cr_result *r, uint64_t addr)
{
	for (size_t i = 0; i < r->nblocks; i++) {
		if (addr - r->blocks[i].addr < r->blocks[i].size)
			return &r->blocks[i];
	}
	return NULL;
}

static bool add_variables(struct hd_groups *groups, const struct hd_run *run,
			  const struct hd_cr_word *words, size_t n)
{
	struct hd_group *g;
	char name[512];

	if (!add_group(groups))
		return false;
	g = &groups->groups[groups->ngroups - 1];
	for (size_t i = 0; i < n; i++) {
		struct hd_member m = { .addr = words[i].addr, .size = words[i].size };

		if (!is_shared(run, words, n, i) || !hd_member_name(run, &m, name, sizeof(name)) ||
		    strpbrk(name, " ,#"))
			continue;
		plain_name(name);
		if (!add_name(g, name))
			return false;
	}
	if (g->nmembers < 2)
		drop_last(groups);
	return true;
}

static bool add_range(struct hd_group *g, uint64_t from, uint64_t to)
{
	size_t i;

	for (i = 0; i < g->nmembers; i++) {
		if (g->members[i].from == from)
			return true;
	}
	if (!HD_ROOM(g->members, g->members_room, g->nmembers + 1))
		return false;
	for (i = g->nmembers++; i > 0 && g->members[i - 1].from > from; i--)
		g->members[i] = g->members[i - 1];
	g->members[i] = (struct hd_group_member){ .from = from, .to = to };
	return true;
}

/* Does an earlier word of the set come from the place that allocated @b? */
static bool was_told(const struct hd_cr_result *r, const struct hd_cr_word *words, size_t n,
		     const struct hd_cr_block *b)
{
	for (size_t i = 0; i < n; i++) {
		const struct hd_cr_block *other = block_of(r, words[i].addr);

		if (other && other->pc == b->pc)
			return true;
	}
	return false;
}

/* Parts of blocks that one line of the source allocates. */
static bool add_parts(struct hd_groups *groups, const struct hd_run *run,
		      const struct hd_cr_result *r, const struct hd_cr_word *words, size_t n,
		      const struct hd_cr_block *b)
{
	struct hd_frame frame;
	struct hd_group *g;

	if (!hd_run_frame(run, b->pc, &frame) || !frame.file || strpbrk(frame.file, " ,#"))
		return true;
	if (!add_group(groups))
		return false;
	g = &groups->groups[groups->ngroups - 1];
	g->kind = HD_GROUP_ALLOC;
	g->place = strdup(frame.file);
	g->line = frame.line;
	for (size_t i = 0; i < n; i++) {
		const struct hd_cr_block *other = block_of(r, words[i].addr);
		uint64_t from = other ? words[i].addr - other->addr : 0;

		if (other && other->pc == b->pc && words[i].written &&
		    !add_range(g, from, from + words[i].size))
			return false;
	}
	if (!g->place)
		return false;
	if (g->nmembers < 2)
		drop_last(groups);
	return true;
}

static bool add_words(struct hd_groups *groups, const struct hd_run *run,
		      const struct hd_cr_result *r, const struct hd_cr_word *words, size_t n)
{
	if (!add_variables(groups, run, words, n))
		return false;
	for (size_t i = 0; i < n; i++) {
		const struct hd_cr_block *b = block_of(r, words[i].addr);

		if (b && !was_told(r, words, i, b) && !add_parts(groups, run, r, words, n, b))
			return false;
	}
	return true;
}

/* Is what a group would say said already by another? */
static bool is_told(const struct hd_groups *groups, const struct hd_group *g)
{
	for (const struct hd_group *o = groups->groups; o < g; o++) {
		bool same = o->kind == g->kind && o->nmembers == g->nmembers &&
			    o->line == g->line && (!g->place || !strcmp(g->place, o->place));

		for (size_t i = 0; same && i < g->nmembers; i++)
			same = g->members[i].name ? !strcmp(g->members[i].name, o->members[i].name)
						  : g->members[i].from == o->members[i].from;
		if (same)
			return true;
	}
	return false;
}

enum hd_err hd_cr_groups(struct hd_groups *groups, const struct hd_run *run,
			 const struct hd_cr_result *r)
{
	*groups = (struct hd_groups){ 0 };
	for (size_t i = 0, end; i < r->nwords; i = end) {
		size_t n;

		for (end = i; end < r->nwords && r->words[end].set == r->words[i].set; end++)
			;
		n = end - i < MEMBERS_MAX ? end - i : MEMBERS_MAX;
		if (n > 1 && !add_words(groups, run, r, &r->words[i], n))
			return HD_ERR_NOMEM;
		while (groups->ngroups && is_told(groups, &groups->groups[groups->ngroups - 1]))
			drop_last(groups);
	}
	return HD_OK;
}
