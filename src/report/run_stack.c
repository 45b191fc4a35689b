#include "run_stack.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/path.h"

#define DEPTH_MAX 256u /* frames kept of one stack */

bool hd_stack_push(struct hd_stack *s, uint64_t pc)
{
	if (s->npcs >= DEPTH_MAX)
		return true;
	if (!HD_ROOM(s->pcs, s->cap, s->npcs + 1))
		return false;
	s->pcs[s->npcs++] = pc;
	return true;
}

bool hd_stack_add_context(const struct hd_run *run, struct hd_stack *s, uint64_t pc, uint32_t ctx)
{
	if (pc && !hd_stack_push(s, pc))
		return false;
	for (unsigned depth = 0; ctx && depth < DEPTH_MAX; depth++) {
		uint32_t parent;

		if (!hd_trace_context(run->trace, ctx, &parent, &pc))
			break;
		if (!hd_stack_push(s, pc))
			return false;
		ctx = parent;
	}
	return true;
}

static bool is_libc(const struct hd_frame *f)
{
	static const char *const names[] = { "libc.so",	     "libpthread.so", "libc-",
					     "libstdc++.so", "libgcc_s.so",   NULL };
	const char *module = hd_base_name(f->module);

	for (int i = 0; module && names[i]; i++) {
		if (!strncmp(module, names[i], strlen(names[i])))
			return true;
	}
	return false;
}

/* Frames that say nothing about the program: ours, and how threads are started. */
static bool is_machinery(const struct hd_frame *f)
{
	static const char *const names[] = { "clone",
					     "clone3",
					     "__clone",
					     "__clone3",
					     "start_thread",
					     "__libc_start_main",
					     "__libc_start_main_impl",
					     "__libc_start_call_main",
					     "_start",
					     "hj_catch_",
					     NULL };
	const char *module = hd_base_name(f->module);

	if (module && (!strncmp(module, "libheddle", 9) || !strncmp(module, "vgpreload_", 10)))
		return true;
	if (!f->function)
		return false;
	if (!strncmp(f->function, "hd_rt_", 6))
		return true;
	for (int i = 0; names[i]; i++) {
		if (!strcmp(f->function, names[i]))
			return true;
	}
	return false;
}

/* The frames at @pc: by the trace's own table (imported runs) or by DWARF. */
static size_t frames_at(const struct hd_run *run, uint64_t pc, struct hd_frame *frames, size_t max)
{
	const char *file;
	uint32_t line;

	if (hd_trace_site(run->trace, pc, &file, &line)) {
		frames[0] = (struct hd_frame){ .file = file, .line = line };
		return 1;
	}
	return run->symbols ? hd_symbols_code(run->symbols, pc, frames, max) : 0;
}

/* Templates and intrinsics: what uses them is the program's own. */
static bool is_system_header(const struct hd_frame *f)
{
	return f->file &&
	       (!strncmp(f->file, "/usr/include/", 13) || !strncmp(f->file, "/usr/lib/", 9));
}

bool hd_run_frame(const struct hd_run *run, uint64_t pc, struct hd_frame *frame)
{
	struct hd_frame frames[32];
	size_t n = pc ? frames_at(run, pc, frames, 32) : 0;
	bool any = false;

	for (size_t i = 0; i < n; i++) {
		if (is_machinery(&frames[i]) || (any && is_system_header(&frames[i])))
			continue;
		*frame = frames[i];
		if (!is_system_header(frame))
			return true;
		any = true;
	}
	return any;
}

bool hd_run_same_line(const struct hd_run *run, uint64_t a, uint64_t b)
{
	struct hd_frame x, y;

	return a == b || (hd_run_frame(run, a, &x) && hd_run_frame(run, b, &y) && x.line &&
			  x.line == y.line && x.file && y.file && !strcmp(x.file, y.file));
}

/*
 * Where a signal interrupted the program, libc's return from the handler lies
 * between the runtime's frames and the program's: code without a name of its own.
 */
static bool is_signal_return(const struct hd_frame *f)
{
	return is_libc(f) && (!f->function || !strcmp(f->function, "__restore_rt"));
}

enum hd_err hd_stack_symbolise(const struct hd_run *run, struct hd_stack *s)
{
	bool after_runtime = false;
	size_t cap = 0;

	for (size_t i = 0; i < s->npcs; i++) {
		struct hd_frame frames[32];
		size_t n = frames_at(run, s->pcs[i], frames, 32);

		if (!n) {
			frames[0] = (struct hd_frame){ .offset = s->pcs[i] };
			n = 1;
		}
		for (size_t k = 0; k < n; k++) {
			bool strip = is_machinery(&frames[k]);

			if (strip || (after_runtime && is_signal_return(&frames[k]))) {
				after_runtime = strip;
				continue;
			}
			after_runtime = false;
			if (!HD_ROOM(s->frames, cap, s->nframes + 1))
				return HD_ERR_NOMEM;
			s->frames[s->nframes++] = frames[k];
		}
	}
	return HD_OK;
}

enum hd_err hd_run_stack(const struct hd_run *run, uint64_t pc, uint32_t ctx, struct hd_stack *out)
{
	enum hd_err err;

	*out = (struct hd_stack){ 0 };
	err = hd_stack_add_context(run, out, pc, ctx) ? hd_stack_symbolise(run, out) : HD_ERR_NOMEM;
	if (err)
		hd_stack_free(out);
	return err;
}

bool hd_run_came_from(const struct hd_run *run, const struct hd_event *ev, struct hd_frame *frame)
{
	bool known = hd_run_frame(run, ev->pc, frame);
	const struct hd_frame *top;
	struct hd_stack stack;

	if (!known || !is_system_header(frame) || hd_run_stack(run, ev->pc, ev->ctx, &stack))
		return known;
	top = hd_stack_top(&stack);
	if (top)
		*frame = *top;
	hd_stack_free(&stack);
	return known;
}

void hd_stack_free(struct hd_stack *s)
{
	free(s->pcs);
	free(s->frames);
	*s = (struct hd_stack){ 0 };
}

const struct hd_frame *hd_stack_top(const struct hd_stack *s)
{
	const struct hd_frame *named = NULL, *header = NULL, *nameless = NULL;

	for (size_t i = 0; i < s->nframes; i++) {
		const struct hd_frame *f = &s->frames[i];

		if (is_libc(f))
			continue;
		if (!nameless)
			nameless = f;
		if (f->file && !is_system_header(f))
			return f;
		if (!header && f->file)
			header = f;
		if (!named && f->function)
			named = f;
	}
	if (!header && !named && !nameless)
		return s->nframes ? &s->frames[0] : NULL;
	return header ? header : named ? named : nameless;
}
