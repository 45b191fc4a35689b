/*
 * What an address is, in words: a variable, a part of a heap block, a stack, an object of synchronisation.
 */
#include "explain_impl.h"

#include <inttypes.h>
#include <pthread.h>
#include <semaphore.h>
#include <string.h>

#include "block_names.h"
#include "common/path.h"
#include "local_names.h"
#include "printable.h"
#include "trace/groups.h"

/* " at FILE:LINE in FUNCTION", or nothing where that is unknown. */
void hd_put_at(FILE *out, const struct hd_run *run, const struct hd_event *ev)
{
	struct hd_frame frame;

	if (hd_run_came_from(run, ev, &frame)) {
		fputs(" at ", out);
		hd_put_site(out, &frame);
	}
}

/*
 * A lock in a struct starts where the struct does: "account.lock", not "account". What
 * it is decides how large it is, which the address does not tell, so all sizes that
 * such objects have are tried and the deepest name is taken, without the insides of
 * libc's types.
 */
static bool member_name(struct hd_symbols *symbols, uint64_t addr, char *buf, size_t len)
{
	static const uint64_t sizes[] = { sizeof(pthread_mutex_t), sizeof(pthread_cond_t),
					  sizeof(pthread_rwlock_t), sizeof(sem_t) };
	char name[512];

	if (!hd_symbols_data(symbols, addr, 0, buf, len))
		return false;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		char *inside;

		if (!hd_symbols_data(symbols, addr, sizes[i], name, sizeof(name)))
			continue;
		inside = strstr(name, ".__");
		if (inside)
			*inside = 0;
		if (!strchr(name, '+') && strlen(name) > strlen(buf))
			snprintf(buf, len, "%s", name);
	}
	return true;
}

/*
 * What excludes in OpenMP is named as in the source: the compiler has made a variable of a critical section's
 * name, and those without one, and atomic updates with a lock, are variables of the runtime's.
 */
static void name_as_pragma(const struct hd_run *run, uint64_t addr, char *buf, size_t len)
{
	static const char prefix[] = ".gomp_critical_user_";
	const struct hd_run_module *m = hd_run_module_at(run, addr);
	const char *path = m ? hd_trace_string(run->trace, m->path) : NULL;
	char name[512];

	snprintf(name, sizeof(name), "%s", buf);
	if (!strncmp(name, prefix, sizeof(prefix) - 1))
		snprintf(buf, len, "critical(%s)", name + sizeof(prefix) - 1);
	else if (path && !strncmp(hd_base_name(path), "libheddle", 9) && !strncmp(name, "omp_", 4))
		snprintf(buf, len, "%s", name + 4);
}

bool hd_object_name(const struct hd_run *run, uint64_t addr, char *buf, size_t len)
{
	const char *name = hd_trace_name(run->trace, addr);

	if (name) {
		snprintf(buf, len, "%s", name);
		return true;
	}
	if (addr & HD_DEPEND_TAG) {
		snprintf(buf, len, "mutexinoutset");
		return true;
	}
	if (addr & HD_ISOLATED_TAG)
		return run->symbols &&
		       hd_symbols_data(run->symbols, addr & ~HD_ISOLATED_TAG, 0, buf, len);
	if (HD_LEAGUE_TEAM(addr)) {
		if (!hd_object_name(run, HD_LEAGUE_LOCK(addr), buf, len))
			return false;
		snprintf(buf + strlen(buf), len - strlen(buf), " of team %" PRIu64,
			 HD_LEAGUE_TEAM(addr) - 1);
		return true;
	}
	if (run->symbols && member_name(run->symbols, addr, buf, len)) {
		name_as_pragma(run, addr, buf, len);
		return true;
	}
	return hd_local_name(run, addr, 0, buf, len);
}

bool hd_is_thread_stack(const struct hd_origin *o)
{
	return o->alloc.op == HD_OP_ALLOC && (o->alloc.arg & HD_ALLOC_STACK);
}

bool hd_is_thread_local(const struct hd_origin *o)
{
	return o->alloc.op == HD_OP_ALLOC && (o->alloc.arg & HD_ALLOC_THREAD_LOCAL);
}

bool hd_is_heap_block(const struct hd_origin *o)
{
	return o->alloc.op && !hd_is_thread_stack(o) && !hd_is_thread_local(o);
}

void hd_put_block_kind(FILE *out, const struct hd_origin *o)
{
	if (hd_is_thread_stack(o))
		fputs("stack of a thread", out);
	else if (hd_is_thread_local(o))
		fputs("thread-local variables of a thread", out);
	else
		fprintf(out, "heap block of %" PRIu64 " bytes", o->alloc.value);
}

void hd_put_block(FILE *out, const struct hd_run *run, const struct hd_origin *o)
{
	hd_put_block_kind(out, o);
	fprintf(out, " %s by T%" PRIu32, hd_is_heap_block(o) ? "allocated" : "made",
		o->alloc.thread);
	hd_put_at(out, run, &o->alloc);
	if (o->freed.op) {
		fprintf(out, " and freed by T%" PRIu32, o->freed.thread);
		hd_put_at(out, run, &o->freed);
	}
}

bool hd_location_name(const struct hd_run *run, uint64_t addr, uint64_t size, char *buf, size_t len)
{
	const char *name = hd_trace_name(run->trace, addr);

	if (name) {
		snprintf(buf, len, "%s", name);
		return true;
	}
	return (run->symbols && hd_symbols_data(run->symbols, addr, size, buf, len)) ||
	       hd_local_name(run, addr, size, buf, len);
}

bool hd_finding_name(const struct hd_run *run, const struct hd_finding *f, uint64_t addr,
		     uint64_t size, char *buf, size_t len)
{
	return hd_local_name_for(run, f, addr, size, buf, len) ||
	       hd_location_name(run, addr, size, buf, len);
}

/* The runtime gives main a stack that ends here, and no more than this below it. */
#define MAIN_STACK_END 0x0f0000000000ull
#define MAIN_STACK_MAX (1ull << 34)

bool hd_is_main_stack(uint64_t addr)
{
	return addr < MAIN_STACK_END && addr >= MAIN_STACK_END - MAIN_STACK_MAX;
}

static void put_whose(FILE *out, const struct hd_run *run, const struct hd_origin *o)
{
	struct hd_frame frames[16];
	size_t n = 0;

	if (run->symbols && o->locals.op && !o->reused)
		n = hd_symbols_code(run->symbols, o->locals.value2, frames, 16);
	if (n && frames[n - 1].function) { /* what was inlined has no stack of its own */
		fputs(" in ", out);
		hd_put_printable(out, frames[n - 1].function);
	}
}

/* What an address without a name is; its number only where nothing else is known of it. */
static void put_nameless(FILE *out, const struct hd_run *run, const struct hd_finding *f)
{
	uint64_t addr = f->location.addr;
	const struct hd_run_module *m = hd_run_module_at(run, addr);
	const char *path = m ? hd_trace_string(run->trace, m->path) : NULL;

	if (hd_is_main_stack(addr)) {
		fputs("stack of T1", out);
		put_whose(out, run, &f->location.origin);
	} else if (path) {
		fputs("memory of ", out);
		hd_put_printable(out, hd_base_name(path));
		fprintf(out, " at 0x%" PRIx64 " in it", addr - m->base);
	} else {
		fprintf(out, "memory at 0x%" PRIx64 " (%s)", addr,
			run->recorded
				? "no variable and no heap block; a thread's stack, its thread-local variables or a mapping"
				: "no variable; a recorded run would show where it is from");
	}
}

void hd_put_made(FILE *out, const struct hd_run *run, const struct hd_origin *o)
{
	hd_put_block_kind(out, o);
	fputs(hd_is_heap_block(o) ? " allocated" : " made", out);
	hd_put_at(out, run, &o->alloc);
}

void hd_put_location(FILE *out, const struct hd_run *run, const struct hd_finding *f)
{
	const struct hd_origin *o = &f->location.origin;
	char name[512];

	if (hd_finding_name(run, f, f->location.addr, f->location.size, name, sizeof(name))) {
		hd_put_quoted(out, name);
	} else if (hd_finding_part(run, f, f->location.addr, f->location.size, name,
				   sizeof(name))) {
		hd_put_quoted(out, name);
		fprintf(out, " in a heap block of %" PRIu64 " bytes allocated", o->alloc.value);
		hd_put_at(out, run, &o->alloc);
	} else if (o->alloc.op) {
		hd_put_made(out, run, o);
		fprintf(out, ", offset %" PRIu64, f->location.addr - o->alloc.addr);
	} else {
		put_nameless(out, run, f);
	}
}

void hd_put_object(FILE *out, const struct hd_run *run, uint64_t addr, const char *what)
{
	const struct hd_place *p = hd_run_place(run, addr);
	struct hd_frame frame;
	char name[512];

	fputs(addr & HD_ISOLATED_TAG ? hd_lock_word(HD_LOCK_ISOLATED) : what, out);
	if (hd_object_name(run, addr, name, sizeof(name))) {
		putc(' ', out);
		hd_put_quoted(out, name);
	} else if (hd_object_part(run, addr, name, sizeof(name))) {
		putc(' ', out);
		hd_put_quoted(out, name);
		fputs(" in the ", out);
		hd_put_block(out, run, &p->origin);
	} else if (p && p->origin.alloc.op) {
		uint64_t offset = addr - p->origin.alloc.addr;

		if (offset)
			fprintf(out, " at offset %" PRIu64, offset);
		fputs(offset ? " of the " : " in the ", out);
		hd_put_block(out, run, &p->origin);
	} else if (p && p->origin.init.op && hd_run_frame(run, p->origin.init.pc, &frame)) {
		fputs(" initialised at ", out);
		hd_put_site(out, &frame);
	} else {
		const struct hd_run_module *m = hd_run_module_at(run, addr);
		const char *path = m ? hd_trace_string(run->trace, m->path) : NULL;

		fprintf(out, " at 0x%" PRIx64, addr & ~HD_ISOLATED_TAG);
		if (path) {
			fputs(" in ", out);
			hd_put_printable(out, hd_base_name(path));
		}
	}
}
