#include "mapped_twice.h"

#include "maps.h"
#include "runtime/abi/inline_check.h"
#include "runtime/explore/explore.h"
#include "runtime/observe/record.h"

/* Bytes from @start on that have their name from @name on. What has a name has no other. */
#define SECONDS 256u
static struct second {
	uintptr_t start, end, name;
} seconds[SECONDS];
static unsigned nseconds;

uintptr_t hd_rt_name_of_mapped(uintptr_t addr, size_t *len)
{
	for (unsigned i = 0; i < nseconds; i++) {
		const struct second *s = &seconds[i];
		size_t before = s->start - addr, left = s->end - addr;

		if (addr >= s->start && addr < s->end) {
			*len = *len < left ? *len : left;
			return s->name + (addr - s->start);
		}
		if (addr < s->start && before < *len)
			*len = before;
	}
	return addr;
}

/* From here on every access takes the long way, where it gets its name. */
static void begin(void)
{
	hd_rt_explore_uses(HD_X_USES_TWICE);
	if (hd_rt.mode & HD_M_TWICE)
		return;
	hd_rt_settle();
	hd_rt.mode |= HD_M_TWICE;
	hd_rt_access_keep_all();
	hd_rt_inline_refresh();
}

static void add(uintptr_t start, uintptr_t name, size_t len)
{
	size_t part;

	for (uintptr_t end = start + len; start < end; start += part, name += part) {
		uintptr_t first, own;

		part = end - start;
		first = hd_rt_name_of_mapped(name, &part);
		own = hd_rt_name_of_mapped(start, &part);
		if (own != start) /* a third one: it has its name from the second */
			continue;
		if (nseconds == SECONDS) {
			hd_rt_drop(
				"memory mapped at two addresses, more than 256 times: accesses by "
				"the one are not compared with those by the other");
			return;
		}
		seconds[nseconds++] = (struct second){ start, start + part, first };
	}
}

struct newcomer {
	uintptr_t start, end;
	struct hd_mapping is;
	bool found, attached;
};

static bool find_newcomer(const struct hd_mapping *m, void *arg)
{
	struct newcomer *n = arg;

	if (n->start < m->start || n->start >= m->end)
		return true;
	n->is = *m;
	n->end = n->attached ? m->end : n->end;
	n->found = m->shared && m->inode;
	return false;
}

/* Of what place in the file is the byte at @addr? */
static uint64_t offset_of(const struct hd_mapping *m, uintptr_t addr)
{
	return m->offset + (addr - m->start);
}

static bool compare_with(const struct hd_mapping *m, void *arg)
{
	const struct newcomer *n = arg;
	uint64_t first = offset_of(&n->is, n->start), end = first + (n->end - n->start);
	uint64_t from = m->offset > first ? m->offset : first;
	uint64_t to = offset_of(m, m->end) < end ? offset_of(m, m->end) : end;

	if (m->start == n->is.start || !m->shared || m->inode != n->is.inode ||
	    m->device != n->is.device || from >= to)
		return true;
	begin();
	/* Its bytes are read, and written by the memory models, where their name says. */
	if (m->readable && (m->writable || !n->is.writable) && !n->attached)
		add(n->start + (from - first), m->start + (from - m->offset), to - from);
	else
		hd_rt_drop("memory mapped at two addresses, by shmat() or with different rights: "
			   "accesses by the one are not compared with those by the other");
	return true;
}

static void compare(struct newcomer *n)
{
	if (!hd_rt_each_mapping(find_newcomer, n))
		hd_rt_explore_uses(HD_X_USES_TWICE); /* who knows? */
	else if (n->found)
		hd_rt_each_mapping(compare_with, n);
}

static uintptr_t end_of(const void *p, size_t len)
{
	return (uintptr_t)p + (len + 4095) / 4096 * 4096;
}

void hd_rt_mapped_shared(const void *p, size_t len)
{
	compare(&(struct newcomer){ .start = (uintptr_t)p, .end = end_of(p, len) });
}

void hd_rt_attached(const void *p)
{
	compare(&(struct newcomer){ .start = (uintptr_t)p, .attached = true });
}

static void forget(struct second *s, uintptr_t start, uintptr_t end)
{
	struct second was = *s;

	s->end = start > was.start ? start : was.start;
	if (end < was.end && nseconds < SECONDS) {
		uintptr_t rest = end > was.start ? end : was.start;

		seconds[nseconds++] =
			(struct second){ rest, was.end, was.name + (rest - was.start) };
	}
}

void hd_rt_unmapped(const void *p, size_t len)
{
	uintptr_t start = (uintptr_t)p, end = end_of(p, len);

	for (unsigned i = 0, n = nseconds; i < n; i++) {
		struct second *s = &seconds[i];
		uintptr_t shift = s->name - s->start;

		if (start < s->end && end > s->start)
			forget(s, start, end);
		else if (start - shift < s->end && end - shift > s->start)
			forget(s, start - shift, end - shift);
	}
	for (unsigned i = nseconds; i-- > 0;) {
		if (seconds[i].start >= seconds[i].end)
			seconds[i] = seconds[--nseconds];
	}
}
