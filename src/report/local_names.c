#include "local_names.h"

#include <stdio.h>
#include <string.h>

#include "explain.h"
#include "symbols/symbols.h"

static bool name_by(const struct hd_run *run, const struct hd_event *at, uint64_t addr,
		    uint64_t size, char *buf, size_t len)
{
	struct hd_local_frame frame;

	if (!at->op || addr - at->addr >= at->value)
		return false;
	if (at->arg == HD_LOCALS_SHARED)
		return hd_symbols_shared(run->symbols, at->value2, addr - at->addr, size, buf, len);
	frame = (struct hd_local_frame){ .pc = at->value2,
					 .sp = at->addr,
					 .fp = at->arg ? at->addr + 8ull * at->arg : 0 };
	return hd_symbols_local(run->symbols, &frame, addr, size, buf, len);
}

static bool name_thread_local(const struct hd_run *run, const struct hd_origin *o, uint64_t addr,
			      char *buf, size_t len)
{
	uint64_t thread = o->alloc.addr + o->alloc.value - HD_THREAD_HEAD;

	if (!hd_is_thread_local(o) ||
	    !hd_symbols_thread_local(run->symbols, (int64_t)(addr - thread), buf, len))
		return false;
	snprintf(buf + strlen(buf), len - strlen(buf), " (thread-local)");
	return true;
}

static bool name_from(const struct hd_run *run, const struct hd_origin *o, uint64_t addr,
		      uint64_t size, char *buf, size_t len)
{
	return !o->reused && (name_by(run, &o->shared, addr, size, buf, len) ||
			      name_by(run, &o->locals, addr, size, buf, len));
}

bool hd_local_name(const struct hd_run *run, uint64_t addr, uint64_t size, char *buf, size_t len)
{
	const struct hd_place *p = run->symbols ? hd_run_place(run, addr) : NULL;

	return p && (name_from(run, &p->origin, addr, size, buf, len) ||
		     name_thread_local(run, &p->origin, addr, buf, len));
}

/* ---- for a finding -------------------------------------------------------------------- */

/* "main._omp_fn.1" is a part of "main", and of itself. */
static bool is_part_of(const char *part, const char *function)
{
	size_t n = strlen(function);

	return !strncmp(part, function, n) && (!part[n] || !strncmp(part + n, "._omp_fn", 8));
}

/* Is one of its accesses made in this function, or in a region of it? */
static bool has_access_in(const struct hd_finding *f, const char *function)
{
	for (size_t i = 0; function && i < f->naccesses; i++) {
		const struct hd_stack *s = &f->accesses[i].stack;

		for (size_t k = 0; k < s->nframes; k++) {
			if (s->frames[k].function && is_part_of(s->frames[k].function, function))
				return true;
		}
	}
	return false;
}

/* The function that @at is about, and those that were inlined there. */
static bool is_about_access(const struct hd_run *run, const struct hd_finding *f,
			    const struct hd_event *at)
{
	struct hd_frame frames[16];
	bool shared = at->arg == HD_LOCALS_SHARED; /* names the function's first byte */
	size_t n = hd_symbols_code(run->symbols, at->value2 + shared, frames, 16);

	while (n && !has_access_in(f, frames[n - 1].function))
		n--;
	return n > 0;
}

/* What was told last of a function in which it has an access. */
static bool name_by_code(const struct hd_run *run, const struct hd_finding *f,
			 const struct hd_place *p, bool shared, uint64_t addr, uint64_t size,
			 char *buf, size_t len)
{
	for (size_t i = p->ntold; i--;) {
		const struct hd_event *at = &p->told[i];

		if ((at->arg == HD_LOCALS_SHARED) == shared && is_about_access(run, f, at) &&
		    name_by(run, at, addr, size, buf, len))
			return true;
	}
	return false;
}

/*
 * A finding of the happens-before detector is told when it happens, so the last function that was told
 * of is the right one. What the analysis of tasks found is told at the end of the run.
 */
bool hd_local_name_for(const struct hd_run *run, const struct hd_finding *f, uint64_t addr,
		       uint64_t size, char *buf, size_t len)
{
	const struct hd_place *p = run->symbols ? hd_run_place(run, f->location.addr) : NULL;

	if (!p)
		return false;
	if (name_by_code(run, f, p, true, addr, size, buf, len))
		return true;
	if (f->certainty.verdict != HD_VERDICT_PREDICTED)
		return name_from(run, &f->location.origin, addr, size, buf, len);
	return name_by_code(run, f, p, false, addr, size, buf, len) ||
	       (p->ntold == 1 && name_by(run, &p->told[0], addr, size, buf, len));
}
