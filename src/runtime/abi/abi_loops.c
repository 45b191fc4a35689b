/*
 * Loops that are recorded, or analysed as accesses of tasks, as a whole.
 *
 * The compiler plugin makes two of an inner loop whose accesses lie side by side. Where each access is
 * recorded, it tells of the parts of the loop and asks whether the one without calls will do. It will if
 * the values can be known: those of reads before the loop, those of writes behind it. So what is written
 * may be no place that another access of the loop has, but for reads of the same element before it.
 *
 * What is recorded is what the other loop would have been, access by access; the ring has it as one
 * record with the bytes (ring.h), which the collector takes apart.
 */
#include "runtime/rt.h"

#include "abi.h"
#include "hidden.h"
#include "inline_check.h"
#include "loop_parts.h"
#include "plain_record.h"
#include "runtime/memory/arena.h"

/* Shorter loops are no gain. */
#define FEWEST_ROUNDS 4

/* The most bytes of values: what is written must all be in one buffer. */
#define MOST_BYTES ((uint64_t)HD_RING_EVENTS * sizeof(struct hd_raw) / 2)

static struct hd_loop_part parts[HD_LOOP_PARTS];
static unsigned nparts;

/* Rounds that are recorded alike: some reads may be left out, some are repeats. */
struct segment {
	unsigned long rounds;
	uint32_t recorded, repeats; /* a bit for each part */
};

/* What does not fit is recorded with nothing left out. */
#define SEGMENTS 32u

HD_EXPORT void heddle_inline1_part(void *p, long step, unsigned kind)
{
	if (hd_is_foreign() || nparts == HD_LOOP_PARTS)
		return;
	parts[nparts++] = hd_loop_part((uintptr_t)p, step, kind, HD_CALLER);
}

static bool overlap(uintptr_t a, size_t a_len, uintptr_t b, size_t b_len)
{
	return a < b + b_len && b < a + a_len;
}

/* Is it memory of which nothing special is to be said? */
static bool is_plain(const struct hd_loop_part *p, unsigned long rounds)
{
	uintptr_t low = hd_loop_lowest(p, rounds), sp = (uintptr_t)__builtin_frame_address(0);
	size_t len = hd_loop_length(p, rounds);
	const struct fiber *me = hd_rt.cur;

	return !(low & (p->size - 1)) && !overlap(low, len, HD_HIDDEN_LOW, HD_HIDDEN_SIZE) &&
	       !(me->tls.high && overlap(low, len, me->tls.low, me->tls.high - me->tls.low)) &&
	       !(p->write && overlap(low, len, sp, 65536)) &&
	       !((hd_rt.mode & HD_M_HEAP) && hd_rt_heap_bad_in(low, len));
}

/* Can the values of write @w be seen behind the loop, and those of all others before it? */
static bool is_apart(unsigned w, unsigned n, unsigned long rounds)
{
	const struct hd_loop_part *p = &parts[w], *o;

	for (unsigned i = 0; i < n; i++) {
		o = &parts[i];
		if (i == w || !hd_loop_overlap(p, o, rounds))
			continue;
		if (i > w || o->write || o->first != p->first || o->step != p->step ||
		    o->size != p->size)
			return false;
	}
	return p->step != 0;
}

static uint64_t bytes_of_round(unsigned n)
{
	uint64_t bytes = 0;

	for (unsigned i = 0; i < n; i++)
		bytes += parts[i].size;
	return bytes;
}

static bool can_be_whole(unsigned n, unsigned long rounds)
{
	bool writes = false;

	if (!n || rounds < FEWEST_ROUNDS || rounds > UINT32_MAX || !hd_records_alone() ||
	    hd_rt_has_tasks)
		return false;
	for (unsigned i = 0; i < n; i++) {
		if (!is_plain(&parts[i], rounds) || (parts[i].write && !is_apart(i, n, rounds)))
			return false;
		writes |= parts[i].write;
	}
	return !writes || rounds <= MOST_BYTES / bytes_of_round(n);
}

/* As a range before the loop is judged where nothing is recorded. */
static void judge(const struct hd_loop_part *p, unsigned long rounds, uint32_t ctx)
{
	struct hd_race_sweep s = { .read = !p->write,
				   .write = p->write,
				   .size = p->size,
				   .read_pc = p->pc,
				   .write_pc = p->pc,
				   .ctx = ctx };
	uintptr_t a = hd_loop_lowest(p, rounds);
	size_t len = hd_loop_length(p, rounds), done;

	hd_rt.cur->pc = p->pc;
	while (len && hd_rt_racing()) {
		done = a & 3 ? 0
			     : hd_race_simple_run(hd_rt_race, &hd_rt_race_view, a, len & ~(size_t)7,
						  &s);
		a += done;
		len -= done;
		if (!len)
			break;
		hd_rt_race_access(a, p->size, p->write, 0, p->pc);
		a += p->size;
		len -= p->size;
	}
}

/* Which accesses of the round are recorded. */
static struct segment choose(unsigned n, unsigned long round)
{
	struct segment s = { .rounds = 1 };

	for (unsigned i = 0; i < n; i++) {
		uintptr_t a = parts[i].first + (uintptr_t)parts[i].step * round;
		unsigned flags = 0;

		if (parts[i].write)
			hd_forget_reads(a, parts[i].size);
		else if (!hd_is_worth_recording(a, parts[i].pc, &flags))
			continue;
		s.recorded |= 1u << i;
		s.repeats |= flags ? 1u << i : 0;
	}
	return s;
}

/* Of @rounds from @from on. Returns the number of segments. */
static unsigned cut(unsigned n, unsigned long from, unsigned long rounds, struct segment *s)
{
	unsigned long r;
	unsigned k = 0;

	if (!hd_read_shadow) {
		s[0] = (struct segment){ .rounds = rounds, .recorded = (1u << n) - 1 };
		return 1;
	}
	for (r = from; r < from + rounds; r++) {
		struct segment now = choose(n, r);

		if (k && s[k - 1].recorded == now.recorded && s[k - 1].repeats == now.repeats) {
			s[k - 1].rounds++;
		} else if (k < SEGMENTS) {
			s[k++] = now;
		} else {
			s[k - 1].rounds++;
			s[k - 1].recorded = (1u << n) - 1;
			s[k - 1].repeats = 0;
		}
	}
	return k;
}

/* The records of @s, whose first round is number @from, at @out. Returns how many there are. */
static uint64_t put_segment(struct hd_raw *out, const struct segment *s, unsigned n,
			    unsigned long from, uint32_t ctx)
{
	struct hd_raw *part = out + 1;
	char *values;

	*out = (struct hd_raw){ .value = s->rounds, .ctx = ctx, .op = HD_RAW_LOOP };
	for (unsigned i = 0; i < n; i++) {
		const struct hd_loop_part *p = &parts[i];

		if (!(s->recorded >> i & 1))
			continue;
		*part++ = (struct hd_raw){ .addr = p->first + (uintptr_t)p->step * from,
					   .value = (uint64_t)p->step,
					   .pc_size = (p->pc & 0xffffffffffffull) |
						      (uint64_t)p->size << HD_RAW_PC_BITS,
					   .ctx = ctx,
					   .arg = s->repeats >> i & 1 ? HD_ACCESS_REPEAT : 0,
					   .op = p->write ? HD_OP_WRITE : HD_OP_READ };
		out->arg++;
		out->spare |= p->write;
	}
	if (!out->arg)
		return 0;
	out->addr = hd_loop_slots(out + 1, out->arg, s->rounds);
	values = (char *)part;
	for (struct hd_raw *p = out + 1; p < part; p++) {
		uint64_t back = (int64_t)p->value < 0 ? (s->rounds - 1) * -p->value : 0;

		if (p->op == HD_OP_READ)
			hd_rt_copy(values, (const char *)p->addr - back,
				   (p->value ? s->rounds : 1) * HD_RAW_SIZE(p));
		values += hd_loop_bytes(p, s->rounds);
	}
	return 1 + out->addr;
}

/* More slots than all of them can take. */
static uint64_t most_slots(unsigned n, unsigned long rounds, unsigned segments)
{
	return rounds * bytes_of_round(n) / sizeof(struct hd_raw) + 1 +
	       segments * (uint64_t)(3 + n + n / 4);
}

static void put_rounds(unsigned n, unsigned long from, unsigned long rounds, uint32_t ctx)
{
	struct segment s[SEGMENTS];
	unsigned k = cut(n, from, rounds, s);
	struct hd_raw *first = hd_rt_slots(most_slots(n, rounds, k));
	uint64_t slots = 0;
	bool later = false;

	for (unsigned i = 0; i < k; i++) {
		uint64_t took = put_segment(first + slots, &s[i], n, from, ctx);

		later |= took && first[slots].spare;
		slots += took;
		from += s[i].rounds;
	}
	if (!slots)
		return;
	hd_rt_push_all(slots);
	if (later)
		hd_rt.pending = first;
}

static void record_whole(unsigned n, unsigned long rounds)
{
	uint32_t ctx = hd_rt_context();
	unsigned long most = MOST_BYTES / bytes_of_round(n), now;

	for (unsigned i = 0; i < n; i++) {
		judge(&parts[i], rounds, ctx);
		hd_rt.progress += parts[i].write;
	}
	for (unsigned long from = 0; from < rounds; from += now) {
		now = rounds - from < most ? rounds - from : most;
		put_rounds(n, from, now, ctx);
	}
}

/* --- where tasks are analysed --- */

static bool can_be_ranges(unsigned n, unsigned long rounds)
{
	if (!n || rounds < FEWEST_ROUNDS || rounds > UINT32_MAX || hd_rt.busy ||
	    !hd_loop_is_ranges(parts, n, rounds) || !hd_rt_tasks_may_range())
		return false;
	for (unsigned i = 0; i < n; i++) {
		if (!is_plain(&parts[i], rounds))
			return false;
	}
	return true;
}

static bool told_as_ranges(unsigned n, unsigned long rounds, void *back)
{
	struct hd_call *top = heddle_inline1_top;
	uint32_t ctx;

	if (!can_be_ranges(n, rounds))
		return false;
	if (back && !hd_rt.opt.calls)
		hd_rt_calls_enter_leaf((uintptr_t)back);
	ctx = hd_rt_context();
	for (unsigned i = 0; i < n; i++) {
		judge(&parts[i], rounds, ctx);
		hd_rt.progress += parts[i].write;
	}
	hd_loop_tell(parts, n, rounds, hd_rt_tasks_range);
	heddle_inline1_top = top;
	return true;
}

/* @n parts were told of. @back: as in heddle_inline1_range(). Is all that there is to say of them said? */
HD_EXPORT int heddle_inline1_whole(unsigned long rounds, unsigned n, void *back)
{
	struct hd_call *top = heddle_inline1_top;
	bool all;

	if (hd_is_foreign())
		return 0;
	all = nparts == n; /* not if a signal handler came in between */
	nparts = 0;
	if (all && hd_rt.planning)
		hd_rt_plan_loop(parts, n, rounds);
	if (all && hd_rt_tasking())
		return told_as_ranges(n, rounds, back);
	if (!all || !hd_rt.recording || !can_be_whole(n, rounds))
		return 0;
	if (back && !hd_rt.opt.calls)
		hd_rt_calls_enter_leaf((uintptr_t)back);
	record_whole(n, rounds);
	heddle_inline1_top = top;
	return 1;
}
