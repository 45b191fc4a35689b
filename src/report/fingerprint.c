#include "fingerprint.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/hash.h"
#include "common/path.h"
#include "block_names.h"
#include "explain.h"

static void mix(uint64_t *hash, const char *s)
{
	/* With the terminator, so that "ab","c" and "a","bc" differ. */
	*hash = hd_fnv_bytes(*hash, s, strlen(s) + 1);
}

/* Sums of hashes must not cancel out. */
static uint64_t finish(uint64_t hash)
{
	hash = hd_hash_next(hash, hash >> 32);
	return hash ^ hash >> 29;
}

static void mix_frame(uint64_t *hash, const struct hd_frame *f)
{
	char line[16] = "";

	/* Runs that were written down, not recorded, have lines and nothing else. */
	if (!f->function && f->file)
		snprintf(line, sizeof(line), "%" PRIu32, f->line);
	mix(hash, f->function ? f->function : line);
	mix(hash, f->file ? hd_base_name(f->file) : f->module ? hd_base_name(f->module) : "");
}

static uint64_t hash_stack(const struct hd_stack *s, uint64_t hash, unsigned depth)
{
	unsigned used = 0;

	for (size_t i = 0; i < s->nframes && used < depth; i++) {
		const struct hd_frame *f = &s->frames[i];

		if (!f->function && !f->file && !f->module)
			continue;
		mix_frame(&hash, f);
		used++;
	}
	return hash;
}

/* The members of a library's class are nobody's own: of a container they are the container. */
static bool is_reserved_member(const char *p)
{
	return p[0] == '.' && p[1] == '_' && (p[2] == '_' || isupper((unsigned char)p[2]));
}

/* A name without indices, and without how far into something an access begins. */
static void mix_name(uint64_t *hash, const char *name)
{
	char plain[512];
	size_t n = 0;

	for (const char *p = name;
	     *p && *p != '+' && !is_reserved_member(p) && n < sizeof(plain) - 1; p++) {
		plain[n++] = *p;
		if (*p == '[')
			p += strcspn(p, "]") - 1;
	}
	plain[n] = 0;
	mix(hash, plain);
}

/* The place that allocated the block, and the member, if that is known; its line; 0: nothing is known. */
static uint32_t mix_block(uint64_t *hash, const struct hd_run *run, const struct hd_finding *f)
{
	struct hd_frame frame;
	char part[512];

	if (!hd_run_came_from(run, &f->location.origin.alloc, &frame))
		return 0;
	mix_frame(hash, &frame);
	if (hd_finding_part(run, f, f->location.addr, f->location.size, part, sizeof(part)))
		mix_name(hash, part);
	return frame.line;
}

/* A name, or where the memory comes from; indices and numbers of threads are left out. */
static void mix_location(uint64_t *hash, const struct hd_run *run, const struct hd_finding *f)
{
	char name[512];

	if (hd_finding_name(run, f, f->location.addr, f->location.size, name, sizeof(name)))
		mix_name(hash, name);
	else if (f->location.origin.alloc.op)
		mix_block(hash, run, f);
}

uint64_t hd_subject_hash(const struct hd_run *run, const struct hd_finding *f, uint32_t *line)
{
	const struct hd_origin *o = &f->location.origin;
	uint64_t hash = HD_FNV_START;
	char name[512];

	*line = 0;
	if (!hd_kind_has(f->kind, HD_ID_LOCATION) || !f->location.addr)
		return 0;
	if (hd_finding_name(run, f, f->location.addr, f->location.size, name, sizeof(name))) {
		mix_name(&hash, name);
	} else {
		if (hd_is_heap_block(o))
			*line = mix_block(&hash, run, f);
		if (!*line)
			return 0;
		hash += *line;
	}
	hash = finish(hash);
	return hash ? hash : 1;
}

/*
 * Messages count, numbers in them (lines, threads) do not, but for those that the program itself
 * says: `x != 1' and `x != 2' are two assertions.
 */
static void mix_text(uint64_t *hash, const struct hd_run *run, const struct hd_finding *f)
{
	const char *text = f->text ? hd_trace_string(run->trace, f->text) : NULL;
	const char *said = text ? strchr(text, '`') : NULL;
	const char *end = said ? strstr(said, "' failed at ") : NULL;
	char plain[256];
	size_t n = 0;

	for (; text && *text && n < sizeof(plain) - 1; text++) {
		if (!isdigit((unsigned char)*text) || (end && text > said && text < end))
			plain[n++] = *text;
	}
	plain[n] = 0;
	mix(hash, plain);
}

/* A sum over threads: the same ones under other numbers are the same finding. */
static uint64_t sum_threads(const struct hd_finding *f)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < f->waiting.nthreads; i++) {
		const struct hd_finding_thread *st = &f->waiting.threads[i];

		if (hd_is_involved(f, st))
			sum += finish(hash_stack(&st->stack, HD_FNV_START + st->state, 3));
	}
	return sum;
}

static uint64_t sum_accesses(const struct hd_run *run, const struct hd_finding *f)
{
	bool roles = hd_kind_has(f->kind, HD_ID_ROLES), locks = hd_kind_has(f->kind, HD_ID_LOCKS);
	uint64_t sum = 0;

	for (size_t i = 0; i < f->naccesses; i++) {
		const struct hd_access *a = &f->accesses[i];
		uint64_t hash = HD_FNV_START;
		char name[512];

		mix(&hash, roles ? a->role : "");
		mix(&hash, hd_access_word(&a->event));
		if (locks && hd_object_name(run, a->event.addr, name, sizeof(name)))
			mix(&hash, name);
		sum += finish(hash_stack(&a->stack, hash, 1));
	}
	return sum;
}

uint64_t hd_pair_hash(const struct hd_finding *f)
{
	return sum_accesses(NULL, f);
}

void hd_fingerprint(const struct hd_run *run, const struct hd_finding *f, char out[17])
{
	uint64_t hash = HD_FNV_START;
	uint32_t line;
	bool subject = hd_kind_has(f->kind, HD_ID_GOAL) ||
		       (f->kind == HD_KIND_RACE && hd_subject_hash(run, f, &line) != 0);
	char sig[16];

	mix(&hash, hd_kind_info(f->kind)->id);
	snprintf(sig, sizeof(sig), "%d", hd_kind_has(f->kind, HD_ID_VALUE) ? (int)f->value : 0);
	mix(&hash, sig);
	mix(&hash, f->pattern);
	if (hd_kind_has(f->kind, HD_ID_LOCATION))
		mix_location(&hash, run, f);
	if (hd_kind_has(f->kind, HD_ID_TEXT))
		mix_text(&hash, run, f);
	if (hd_kind_has(f->kind, HD_ID_GOAL))
		mix(&hash, f->goal ? f->goal : "");
	/* Which of a variable's races a run shows is up to the schedule, and so is how it comes to a goal. */
	hash = finish(hash ^ (sum_threads(f) + (subject ? 0 : sum_accesses(run, f))));
	snprintf(out, 17, "%016" PRIx64, hash);
}

void hd_fingerprint_numbered(char id[17], size_t n)
{
	uint64_t hash = HD_FNV_START + n;

	if (!n)
		return;
	mix(&hash, id);
	snprintf(id, 17, "%016" PRIx64, finish(hash));
}

static uint64_t hash_line(const struct hd_stack *s, unsigned op)
{
	const struct hd_frame *top = hd_stack_top(s);
	uint64_t hash = HD_FNV_START + op;

	if (top) {
		mix_frame(&hash, top);
		hash += top->line;
	}
	return finish(hash);
}

uint64_t hd_site_hash(const struct hd_finding *f)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < f->waiting.nthreads; i++) {
		if (hd_is_involved(f, &f->waiting.threads[i]))
			sum += hash_line(&f->waiting.threads[i].stack, f->waiting.threads[i].state);
	}
	for (size_t i = 0; i < f->naccesses; i++)
		sum += hash_line(&f->accesses[i].stack, f->accesses[i].event.op);
	return sum;
}
