#include "inferred.h"

#include "explore.h"
#include "explore_sites.h"
#include "runtime/memory/arena.h"
#include "runtime/thread/thread.h"

/* A task that has a region of a class. */
struct holder {
	uint32_t thread;
	uint32_t until; /* the fiber's number of points while it is open */
	bool write;
};

struct class
{
	struct hd_rt_sites sites;
	struct holder *holders;
	uint32_t n, cap;
};

static struct class *classes;
static uint32_t nclasses;

bool hd_rt_inferred_read(const char *list)
{
	while (*list) {
		size_t len = 0;
		char *one;
		bool ok;

		while (list[len] && list[len] != ';')
			len++;
		classes = hd_rt_grow(classes, nclasses * sizeof(*classes),
				     (nclasses + 1) * sizeof(*classes));
		classes[nclasses] = (struct class){ 0 };
		one = hd_rt_alloc(len + 1);
		hd_rt_copy(one, list, len);
		ok = hd_rt_sites_read(&classes[nclasses++].sites, one);
		hd_rt_free(one, len + 1);
		if (!ok)
			return false;
		list += len + (list[len] == ';');
	}
	return true;
}

bool hd_rt_inferred_any(void)
{
	return nclasses > 0;
}

void hd_rt_inferred_start(void)
{
	if (nclasses)
		hd_rt.mode |= HD_M_REGIONS;
}

static struct class *class_of(uintptr_t pc)
{
	for (uint32_t i = 0; i < nclasses; i++) {
		if (hd_rt_sites_has(&classes[i].sites, pc))
			return &classes[i];
	}
	return NULL;
}

static bool is_open(const struct holder *h)
{
	const struct fiber *f =
		h->thread == hd_rt.cur->id ? hd_rt.cur : hd_rt_fiber_by_id(h->thread);

	return f && f->state != HD_F_DONE && f->explore.npoints == h->until;
}

/* The current fiber's region of @c, if it has one; those that are closed are dropped. */
static struct holder *look(struct class *c, bool write, bool *conflict)
{
	struct holder *mine = NULL;
	uint32_t n = 0;

	*conflict = false;
	for (uint32_t i = 0; i < c->n; i++) {
		if (!is_open(&c->holders[i]))
			continue;
		c->holders[n] = c->holders[i];
		if (c->holders[n].thread == hd_rt.cur->id)
			mine = &c->holders[n];
		else if (write || c->holders[n].write)
			*conflict = true;
		n++;
	}
	c->n = n;
	return mine;
}

static struct holder *new_holder(struct class *c)
{
	HD_RT_ROOM(c->holders, c->cap, c->n, 16);
	return &c->holders[c->n++];
}

/*
 * What is done in isolated blocks and under locks is kept apart by these. Looking at all classes and
 * holders is no matter: programs that are explored are small.
 */
void hd_rt_inferred_access(uintptr_t pc, bool write)
{
	struct fiber *me = hd_rt.cur;
	struct class *c = me->task && !me->locks.n ? class_of(pc) : NULL;
	struct holder *mine;
	uintptr_t name;
	bool conflict;

	if (!c)
		return;
	mine = look(c, write, &conflict);
	name = (uintptr_t)(c - classes) + 1;
	if (conflict && hd_rt.exploring)
		hd_rt_explore_fault_between(HD_KIND_PERMISSION, name, name);
	if (mine) {
		mine->write |= write;
		return;
	}
	/* It is open from now on, and after the point. */
	*new_holder(c) = (struct holder){ .thread = me->id,
					  .until = me->explore.npoints + 1,
					  .write = write };
	if (hd_rt_sites_has(&hd_rt_calm_regions, name))
		hd_rt_calm_point();
	else
		hd_rt_point();
}
