#include "explain_impl.h"

#include <inttypes.h>
#include <signal.h>
#include <string.h>

#include "common/path.h"
#include "printable.h"
#include "trace/event_meaning.h"
#include "trace/groups.h"

const char *hd_title(const struct hd_finding *f)
{
	return hd_kind_title(f->kind, f->certainty.candidate);
}

const char *hd_verdict_word(const struct hd_finding *f)
{
	static const char *const words[HD_VERDICTS] = {
		[HD_VERDICT_CONFIRMED] = "confirmed",	[HD_VERDICT_REALISED] = "realised",
		[HD_VERDICT_INFEASIBLE] = "infeasible", [HD_VERDICT_UNKNOWN] = "unknown",
		[HD_VERDICT_PREDICTED] = "predicted",
	};

	if (words[f->certainty.verdict])
		return words[f->certainty.verdict];
	return f->certainty.candidate ? "predicted" : "observed";
}

const char *hd_lock_word(unsigned mode)
{
	switch (mode & HD_LOCK_KIND_MASK) {
	case HD_LOCK_RWLOCK:
		return "rwlock";
	case HD_LOCK_SPIN:
		return "spin lock";
	case HD_LOCK_FILE:
		return "stream lock";
	case HD_LOCK_ISOLATED:
		return "isolation of";
	case HD_LOCK_OMP:
		return "lock";
	default:
		return "mutex";
	}
}

const char *hd_signal_word(int sig, char buf[32])
{
	const char *abbrev = sigabbrev_np(sig);

	if (abbrev)
		snprintf(buf, 32, "SIG%s", abbrev);
	else
		snprintf(buf, 32, "signal %d", sig);
	return buf;
}

void hd_put_thread(FILE *out, const struct hd_run *run, uint32_t thread, bool with_name)
{
	const struct hd_run_thread *t = hd_run_thread(run, thread);
	const char *name = t && t->name ? hd_trace_string(run->trace, t->name) : NULL;

	fprintf(out, "T%" PRIu32, thread);
	if (with_name && name && *name) {
		fputs(" \"", out);
		hd_put_printable(out, name);
		putc('"', out);
	}
}

void hd_put_site(FILE *out, const struct hd_frame *frame)
{
	if (frame->file) {
		hd_put_printable(out, hd_base_name(frame->file));
		if (frame->line)
			fprintf(out, ":%" PRIu32, frame->line);
	} else if (frame->module) {
		hd_put_printable(out, hd_base_name(frame->module));
		fprintf(out, "+0x%" PRIx64, frame->offset);
	} else {
		fputs("code in no known module", out);
	}
	if (frame->function) {
		fputs(" in ", out);
		hd_put_printable(out, frame->function);
	}
}

const char *hd_access_word(const struct hd_event *ev)
{
	switch (ev->op) {
	case HD_OP_READ:
	case HD_OP_READ_RANGE:
		return "read";
	case HD_OP_WRITE:
	case HD_OP_WRITE_RANGE:
		return "write";
	case HD_OP_ATOMIC_LOAD:
	case HD_OP_ATOMIC_CAS_FAIL:
		return "atomic read";
	case HD_OP_ATOMIC_STORE:
		return "atomic write";
	case HD_OP_ATOMIC_RMW:
		return "atomic read-modify-write";
	default:
		return ev->op < HD_OP_LIMIT && hd_op_info[ev->op].name ? hd_op_info[ev->op].name
								       : "access";
	}
}

uint64_t hd_access_size(const struct hd_event *ev)
{
	return ev->op == HD_OP_READ_RANGE || ev->op == HD_OP_WRITE_RANGE ? ev->value : ev->size;
}

void hd_put_sentence(FILE *out, const struct hd_run *run, const struct hd_finding *f,
		     const char *otherwise)
{
	const char *text = f->text ? hd_trace_string(run->trace, f->text) : NULL;

	if (text && *text)
		hd_put_printable(out, text);
	else
		fputs(otherwise, out);
}

/* How often the innermost frames' commonest function occurs: deep recursion shows. */
static const char *recursive_function(const struct hd_finding *f)
{
	const struct hd_finding_thread *st = hd_finding_thread(f, f->moment.thread);

	for (size_t i = 0; st && i < 4 && i < st->stack.nframes; i++) {
		const char *name = st->stack.frames[i].function;
		size_t times = 0;

		for (size_t k = i; name && k < st->stack.nframes; k++) {
			const char *other = st->stack.frames[k].function;

			times += other && !strcmp(name, other);
		}
		if (times >= 16)
			return name;
	}
	return NULL;
}

static void put_fault_address(FILE *out, const struct hd_run *run, const struct hd_finding *f)
{
	const struct hd_origin *o = &f->location.origin;
	const char *recursion = recursive_function(f);

	if (!f->location.addr) {
		/* The processor reports 0 for what is no address at all, too. */
		fputs(" by a null or wild pointer", out);
	} else if (f->location.addr < 4096) {
		fprintf(out, " at address 0x%" PRIx64 ", in the null page", f->location.addr);
	} else if (o->alloc.op) {
		fprintf(out, " at offset %" PRIu64 " of the ", f->location.addr - o->alloc.addr);
		hd_put_block(out, run, o);
	} else if (recursion) {
		fprintf(out, " at 0x%" PRIx64 ", probably a stack overflow: ", f->location.addr);
		hd_put_printable(out, recursion);
		fputs(" calls itself again and again", out);
	} else {
		hd_put_object(out, run, f->location.addr, ", touching memory");
		if (!hd_run_module_at(run, f->location.addr))
			fputs(" that no module or known heap block holds", out);
	}
}

static void put_crash(FILE *out, const struct hd_run *run, const struct hd_finding *f)
{
	char word[32];
	int sig = (int)f->value;

	fprintf(out, "%s", hd_signal_word(sig, word));
	if (f->moment.thread) {
		fputs(" in ", out);
		hd_put_thread(out, run, f->moment.thread, true);
	}
	if (!f->certainty.guessed && (sig == SIGSEGV || sig == SIGBUS))
		put_fault_address(out, run, f);
}

static void put_verdict(FILE *out, const struct hd_finding *f)
{
	if (f->certainty.verdict)
		fprintf(out, ": %s", hd_verdict_word(f));
}

bool hd_member_name(const struct hd_run *run, const struct hd_member *m, char *buf, size_t len)
{
	char *at;

	if (!hd_location_name(run, m->addr, m->size, buf, len))
		return false;
	/* A part of a variable stands for the whole, an element for its array. */
	at = strrchr(buf, '+');
	if (at)
		*at = 0;
	at = strchr(buf, '[');
	if (at)
		snprintf(at, len - (size_t)(at - buf), "[]");
	return true;
}

/* Has one of the members before number @n the same name? */
static bool was_named(const struct hd_run *run, const struct hd_finding *f, size_t n,
		      const char *name)
{
	char other[512];

	for (size_t i = 0; i < n; i++) {
		if (hd_member_name(run, &f->location.members[i], other, sizeof(other)) &&
		    !strcmp(name, other))
			return true;
	}
	return false;
}

void hd_put_members(FILE *out, const struct hd_run *run, const struct hd_finding *f)
{
	size_t n = 0, nameless = 0;
	char name[512];

	for (size_t i = 0; i < f->location.nmembers; i++) {
		if (!hd_member_name(run, &f->location.members[i], name, sizeof(name))) {
			nameless++;
			continue;
		}
		if (was_named(run, f, i, name))
			continue;
		fputs(n++ ? ", " : "", out);
		hd_put_quoted(out, name);
	}
	if (nameless && !n) {
		hd_put_location(out, run, f);
	} else if (nameless && hd_is_heap_block(&f->location.origin)) {
		fputs(" and a ", out);
		hd_put_made(out, run, &f->location.origin);
	} else if (nameless) {
		fputs(" and memory without a name", out);
	}
}

static const char *failure_words(const char *word)
{
	static const struct {
		const char *word, *words;
	} all[] = {
		{ "crash", "a crash" },
		{ "assertion", "a failed assertion" },
		{ "deadlock", "a deadlock" },
		{ "livelock", "a livelock" },
		{ "memory", "a memory error" },
		{ "misuse", "misuse of the thread library" },
		{ "exit", "a bad exit status" },
		{ "output", "wrong output" },
		{ "oracle", "a result that the oracle rejects" },
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		if (!strcmp(all[i].word, word))
			return all[i].words;
	}
	return word;
}

/* ": ends in a crash" */
static void put_harm(FILE *out, const struct hd_consequence *c)
{
	switch (c->harm) {
	case HD_HARM_FAILS:
		fprintf(out, ": ends in %s", failure_words(c->word));
		break;
	case HD_HARM_VALUES:
		fputs(": changes values only", out);
		break;
	case HD_HARM_NONE:
		fputs(": no difference seen", out);
		break;
	case HD_HARM_UNKNOWN:
	case HD_HARM_UNTOLD:
		break;
	}
}

void hd_put_consequence(FILE *out, const struct hd_consequence *c)
{
	switch (c->harm) {
	case HD_HARM_FAILS:
		hd_put_printable(out, c->text);
		break;
	case HD_HARM_VALUES:
		fputs("different values only: ", out);
		hd_put_printable(out, c->text);
		break;
	case HD_HARM_NONE:
		fprintf(out, "no difference in %u orders tried", c->orders);
		return;
	case HD_HARM_UNKNOWN:
		fprintf(out, "not known: %s", c->text);
		return;
	case HD_HARM_UNTOLD:
		return;
	}
	if (c->orders)
		fprintf(out, " (%u orders tried)", c->orders);
}

static void put_on(FILE *out, const struct hd_run *run, const struct hd_finding *f)
{
	const char *detail = f->certainty.established ? f->certainty.established : f->pattern;

	fputs(hd_title(f), out);
	if (f->location.nmembers) {
		fputs(" on ", out);
		hd_put_members(out, run, f);
	} else if (f->location.addr) {
		fputs(" on ", out);
		hd_put_location(out, run, f);
	}
	if (*detail)
		fprintf(out, " (%s)", detail);
	if (f->location.group >= (int)HD_GROUP_FIRST) /* numbers beyond those that programs give */
		fprintf(out, ", in group %d of --groups",
			f->location.group - (int)HD_GROUP_FIRST + 1);
	else if (f->location.group >= 0)
		fprintf(out, ", in group %d", f->location.group);
	put_verdict(out, f);
	put_harm(out, &f->consequence);
}

/* "T1 holds mutex 'a' and wants mutex 'b', T2 holds ...". */
static void put_lock_order(FILE *out, const struct hd_run *run, const struct hd_finding *f)
{
	fprintf(out, "%s: ", hd_title(f));
	for (size_t i = 0; i < f->naccesses; i++) {
		const struct hd_access *a = &f->accesses[i];
		bool same = i && f->accesses[i - 1].event.thread == a->event.thread;

		fputs(!i ? "" : same ? " and " : ", ", out);
		if (!same) {
			hd_put_thread(out, run, a->event.thread, true);
			putc(' ', out);
		}
		fprintf(out, "%s ", a->role);
		hd_put_object(out, run, a->event.addr, hd_lock_word(a->event.arg));
	}
	put_verdict(out, f);
}

static void put_exit(FILE *out, const struct hd_run *run, const struct hd_finding *f)
{
	char word[32];

	if (run->exited)
		fprintf(out, "the program ends with status %" PRIu64, f->value);
	else
		fprintf(out, "the program was ended by %s", hd_signal_word(run->code, word));
}

/* The frame of step @i; of one that the run did not come to, too. */
static bool step_frame(const struct hd_run *run, const struct hd_finding *f, size_t i,
		       struct hd_frame *out)
{
	const struct hd_frame *top = i < f->naccesses ? hd_stack_top(&f->accesses[i].stack) : NULL;

	if (!top)
		return i == 2 && i == f->naccesses && hd_run_frame(run, f->missing, out);
	*out = *top;
	return true;
}

/* "acquire of mutex 'm' by T3 at f.c:9 in r comes after f.c:5 in w and before f.c:7 in w" */
static void put_order(FILE *out, const struct hd_run *run, const struct hd_finding *f)
{
	const struct hd_access *a = f->accesses;

	fprintf(out, "%s: ", hd_title(f));
	if (f->naccesses < 2)
		return;
	fprintf(out, "%s ", hd_access_word(&a[1].event));
	if (hd_op_is_access(a[1].event.op)) {
		fputs("of ", out);
		hd_put_location(out, run, f);
	} else if (a[1].event.op == HD_OP_ACQUIRE) {
		fputs("of ", out);
		hd_put_object(out, run, a[1].event.addr, hd_lock_word(a[1].event.arg));
	} else {
		hd_put_object(out, run, a[1].event.addr, "of condition variable");
	}
	fprintf(out, " by T%" PRIu32, a[1].event.thread);
	for (size_t i = 0; i < 3; i++) {
		static const char *const words[] = { " at ", " comes after ", " and before " };
		static const size_t which[] = { 1, 0, 2 };
		struct hd_frame frame;

		if (!step_frame(run, f, which[i], &frame))
			continue;
		fputs(words[i], out);
		hd_put_site(out, &frame);
	}
	put_verdict(out, f);
}

bool hd_put_detail(FILE *out, const struct hd_run *run, const struct hd_finding *f)
{
	struct hd_frame frame;

	if (f->why)
		hd_put_printable(out, f->why);
	if (f->why || !f->missing || !f->naccesses)
		return f->why != NULL;
	fprintf(out, "T%" PRIu32 " had not come to ", f->accesses[0].event.thread);
	if (hd_run_frame(run, f->missing, &frame))
		hd_put_site(out, &frame);
	else
		fputs("its last access", out);
	return true;
}

void hd_put_headline(FILE *out, const struct hd_run *run, const struct hd_finding *f)
{
	switch (f->kind) {
	case HD_KIND_RACE:
	case HD_KIND_ATOMICITY:
	case HD_KIND_EXTENDED_RACE:
		put_on(out, run, f);
		break;
	case HD_KIND_SHARING:
		fputs("sharing of ", out);
		hd_put_location(out, run, f);
		fprintf(out, " outside of permission regions: %s of it has none",
			f->naccesses && f->accesses[0].event.op == HD_OP_READ ? "a read"
									      : "a write");
		break;
	case HD_KIND_LOCK_ORDER:
		put_lock_order(out, run, f);
		break;
	case HD_KIND_ORDER:
		put_order(out, run, f);
		break;
	case HD_KIND_GOAL:
		fprintf(out, "%s: ", hd_title(f));
		hd_put_printable(out, f->goal ? f->goal : "?");
		put_verdict(out, f);
		break;
	case HD_KIND_PERMISSION:
		hd_put_object(out, run, f->location.addr, "permission: regions of");
		fputs(" in conflict: ", out);
		hd_put_sentence(out, run, f, "one of them to write");
		break;
	case HD_KIND_MEMORY:
		fprintf(out, "%s: ", hd_title(f));
		hd_put_sentence(out, run, f, "a wrong use of the heap");
		break;
	case HD_KIND_DEADLOCK:
		hd_put_deadlock(out, run, f);
		break;
	case HD_KIND_LIVELOCK:
		hd_put_livelock(out, run, f);
		break;
	case HD_KIND_CRASH:
		put_crash(out, run, f);
		break;
	case HD_KIND_EXIT:
		put_exit(out, run, f);
		break;
	case HD_KIND_ASSERTION:
		hd_put_thread(out, run, f->moment.thread, true);
		fputs(": ", out);
		hd_put_sentence(out, run, f, "an assertion failed");
		break;
	case HD_KIND_DIVERGENCE:
		hd_put_sentence(out, run, f, "the replay left its schedule");
		break;
	case HD_KIND_LOCKSET:
	case HD_KIND_TASK_RACE:
	case HD_KIND_TASK_ATOMICITY:
	case HD_KIND_PATTERN:
		break; /* told as others */
	case HD_KIND_MISUSE:
		hd_put_thread(out, run, f->moment.thread, true);
		fputs(": ", out);
		hd_put_sentence(out, run, f, "undefined use of a synchronisation object");
		if (f->location.addr) {
			fputs(": ", out);
			hd_put_object(out, run, f->location.addr, "it is");
		}
		break;
	}
}

/* ---- older values ------------------------------------------------------------ */

/* In a program with OpenMP: what the trace has of its constructs, in its words. NULL: the event's own will do. */
static const char *team_word(const struct hd_event *ev)
{
	switch (ev->op) {
	case HD_OP_PHASER_SIGNAL:
		return ev->arg >= HD_TEAM_BARRIER ? "arriving at a barrier" : NULL;
	case HD_OP_PHASER_WAIT:
		return ev->arg >= HD_TEAM_BARRIER ? "leaving a barrier" : NULL;
	case HD_OP_FINISH_BEGIN:
		return "beginning a region or making tasks";
	case HD_OP_FINISH_END:
		return "waiting for a region's threads or tasks";
	case HD_OP_FUTURE_PUT:
		return "letting others go on";
	case HD_OP_FUTURE_GET:
		return "waiting for others";
	default:
		return NULL;
	}
}

void hd_put_event(FILE *out, const struct hd_run *run, const struct hd_event *ev)
{
	const struct hd_op_info *info = &hd_op_info[ev->op < HD_OP_LIMIT ? ev->op : 0];
	const char *word = run->openmp ? team_word(ev) : NULL;
	struct hd_frame frame;
	char name[512];

	fputs(word ? word : info->name ? info->name : "a step", out);
	if (!word && info->addr != HD_U_NONE && hd_object_name(run, ev->addr, name, sizeof(name))) {
		putc(' ', out);
		hd_put_quoted(out, name);
	}
	if (hd_run_frame(run, ev->pc, &frame)) {
		fputs(" at ", out);
		hd_put_site(out, &frame);
	}
}

static void put_writer(FILE *out, const struct hd_run *run, const struct hd_event *ev,
		       const char *how)
{
	struct hd_frame frame;

	fprintf(out, "%s T%" PRIu32, how, ev->thread);
	if (hd_run_frame(run, ev->pc, &frame)) {
		fputs(" at ", out);
		hd_put_site(out, &frame);
	}
}

static uint64_t written(const struct hd_event *ev)
{
	return ev->op == HD_OP_ATOMIC_RMW ? ev->value2 : ev->value;
}

void hd_put_older_writers(FILE *out, const struct hd_run *run, const struct hd_older *o)
{
	if (o->from.op)
		put_writer(out, run, &o->from, "written by");
	else
		fputs("which was there before", out);
	if (o->newest.op) {
		put_writer(out, run, &o->newest, ";");
		fprintf(out, " had already stored %" PRIu64, written(&o->newest));
	}
}

void hd_put_older(FILE *out, const struct hd_run *run, const struct hd_older *o)
{
	fprintf(out, "T%" PRIu32 ": ", o->read.thread);
	hd_put_event(out, run, &o->read);
	fprintf(out, " = %" PRIu64 ", ", o->read.value);
	hd_put_older_writers(out, run, o);
}

/* ---- stalls ---------------------------------------------------------------- */

size_t hd_finding_stalls(const struct hd_run *run, const struct hd_finding *f,
			 const struct hd_stall **stalls)
{
	run = hd_finding_run(run, f);
	*stalls = run->stalls;
	return hd_finding_has_accesses(f) && !f->witness.outcome ? 0 : run->nstalls;
}

static void put_time(FILE *out, uint64_t ns)
{
	static const struct {
		const char *unit;
		double ns;
	} units[] = { { "s", 1e9 }, { "ms", 1e6 }, { "us", 1e3 } };
	/* 999.5 of one unit would be written as 1e+03. */
	size_t i = ns >= 999500000 ? 0 : ns >= 999500 ? 1 : 2;

	fprintf(out, "%.3g %s", (double)ns / units[i].ns, units[i].unit);
}

void hd_put_stall(FILE *out, const struct hd_run *run, const struct hd_stall *s)
{
	struct hd_frame frame;

	hd_put_thread(out, run, s->thread, false);
	fputs(" to be held up for ", out);
	put_time(out, s->ns);
	if (s->pc && hd_run_frame(run, s->pc, &frame)) {
		fputs(" at ", out);
		hd_put_site(out, &frame);
	} else {
		fputs(" before it begins", out);
	}
}
