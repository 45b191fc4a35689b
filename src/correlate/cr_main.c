/*
 * The tool: what the core asks it and tells it.
 */
#include <pub_tool_aspacemgr.h>
#include <pub_tool_libcproc.h>
#include <pub_tool_machine.h>
#include <pub_tool_options.h>
#include <pub_tool_replacemalloc.h>
#include <pub_tool_tooliface.h>

#include "cr_access.h"
#include "cr_call.h"
#include "cr_flow.h"
#include "cr_instr.h"
#include "cr_label.h"
#include "cr_mark.h"
#include "cr_order.h"
#include "cr_place.h"
#include "cr_requests.h"
#include "cr_result.h"
#include "cr_shadow.h"
#include "cr_unit.h"

struct cr_options cr_options;
Bool cr_watching;

/* ---- options ------------------------------------------------------------------------- */

static Bool take_option(const HChar *arg)
{
	if (VG_BOOL_CLO(arg, "--address-deps", cr_options.address_deps)) {
	} else if (VG_BOOL_CLO(arg, "--flag-loops", cr_options.flag_loops)) {
	} else if (VG_BOOL_CLO(arg, "--from-start", cr_options.from_start)) {
	} else if (VG_BOOL_CLO(arg, "--dump-labels", cr_options.dump_labels)) {
	} else if (VG_BOOL_CLO(arg, "--paper", cr_options.paper)) {
	} else if (VG_BOOL_CLO(arg, "--all-sets", cr_options.all_sets)) {
	} else if (VG_STR_CLO(arg, "--result", cr_options.result)) {
	} else {
		return VG_(replacement_malloc_process_cmd_line_option)(arg);
	}
	return True;
}

static void usage(void)
{
	VG_(printf)("    --result=FILE         where the result goes\n"
		    "    --all-sets=no|yes     all that belongs together, not only what findings are on [no]\n"
		    "    --address-deps=no|yes addresses of accesses are dependences, too [no]\n"
		    "    --flag-loops=no|yes   loops that only wait for a write order threads [no]\n"
		    "    --paper=no|yes        the paper's algorithm in place of ours [no]\n");
}

static void debug_usage(void)
{
	VG_(printf)("    --dump-labels=no|yes  answer requests for labels [no]\n"
		    "    --from-start=no|yes   watch before there is a second thread, too [no]\n");
}

static void options_done(void)
{
	/* A block of code is one way through it: decisions are at its end. */
	VG_(clo_vex_control).guest_chase = False;
	VG_(clo_vex_control).iropt_unroll_thresh = 0;
	cr_shadow_init();
	cr_watching = cr_options.from_start;
}

/* ---- threads -------------------------------------------------------------------------------- */

static Bool is_child; /* a process that the program forked: it does not report */

/*
 * The core's, not declared for tools: those may only ask for it in client requests. A new thread
 * is told of inside a system call, which is as good: so does the core for munmap.
 */
void VG_(discard_translations)(Addr start, ULong range, const HChar *who);

static void thread_new(ThreadId parent, ThreadId child)
{
	cr_thread_new(parent, child);
	cr_registers_unlabel(child);
	if (cr_threads_count() != 2)
		return;
	/* From now on code is to look at accesses, and values from nowhere begin units. */
	VG_(discard_translations)(0, CR_TOP, "heddle");
	cr_watching = True;
}

static void thread_runs(ThreadId tid, ULong blocks)
{
	cr_thread_run(tid);
	cr_label_collect();
	cr_segment_collect();
}

static void in_child(ThreadId tid)
{
	is_child = True;
}

/* ---- memory ------------------------------------------------------------------------------------ */

static void memory_new(Addr a, SizeT len, Bool r, Bool w, Bool x, ULong di)
{
	cr_shadow_forget(a, len);
}

static void memory_gone(Addr a, SizeT len)
{
	cr_shadow_forget(a, len);
	cr_flow_forget();
}

static void memory_grown(Addr a, SizeT len, ThreadId tid)
{
	cr_shadow_forget(a, len);
}

/* Calls that move the program's data; the rest of them are libc's own business. */
static Bool moves_data(const HChar *call)
{
	static const HChar *const words[] = { "read", "pread", "recv", "write", "pwrite", "send" };

	for (UInt i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (!VG_(strncmp)(call, words[i], VG_(strlen)(words[i])))
			return True;
	}
	return False;
}

static void kernel_accesses(CorePart part, ThreadId tid, const HChar *call, Addr a, SizeT len,
			    Bool write)
{
	if (part != Vg_CoreSysCall || !cr_watching || !moves_data(call))
		return;
	cr_thread_run(tid);
	cr_range(a, len < 65536 ? len : 65536, write, cr_call_pc());
}

static void kernel_reads(CorePart part, ThreadId tid, const HChar *call, Addr a, SizeT len)
{
	kernel_accesses(part, tid, call, a, len, False);
}

static void kernel_writes(CorePart part, ThreadId tid, const HChar *call, Addr a, SizeT len)
{
	kernel_accesses(part, tid, call, a, len, True);
}

static void kernel_wrote(CorePart part, ThreadId tid, Addr a, SizeT len)
{
	cr_shadow_unlabel(a, len);
}

static void registers_written(CorePart part, ThreadId tid, PtrdiffT offset, SizeT len)
{
	static UChar zeros[64];

	for (SizeT done = 0; done < len; done += sizeof(zeros))
		VG_(set_shadow_regs_area)(tid, 1, offset + done,
					  len - done < sizeof(zeros) ? len - done : sizeof(zeros),
					  zeros);
}

/* ---- requests of the preloaded library ------------------------------------------------------------ */

static UWord label_of(Addr a)
{
	struct cr_chunk *c = cr_chunk_find(a);

	return c ? c->cell[cr_granule(a)].label[a >> 2 & 1] : 0;
}

static void on_lock(const UWord *args)
{
	if (!cr_is_loader(args[1]))
		cr_locked(args[1], args[2] != 0, (UInt)args[3]);
}

static Bool on_request(ThreadId tid, UWord *args, UWord *ret)
{
	if (!VG_IS_TOOL_USERREQ('H', 'D', args[0]))
		return False;
	*ret = 0;
	cr_thread_run(tid);
	switch (args[0]) {
	case CR_REQ_LOCKED:
		on_lock(args);
		break;
	case CR_REQ_UNLOCK:
		cr_unlock(args[1], False);
		break;
	case CR_REQ_LOCK_DESTROY:
		cr_unlock(args[1], True);
		break;
	case CR_REQ_CREATED:
		cr_thread_created(args[1]);
		break;
	case CR_REQ_BEGIN:
		cr_thread_began(args[1]);
		break;
	case CR_REQ_JOINED:
		cr_thread_joined(args[1]);
		break;
	case CR_REQ_RELEASE:
		cr_release(args[1]);
		break;
	case CR_REQ_ACQUIRE:
		cr_acquire(args[1]);
		break;
	case CR_REQ_COND_PRE:
		cr_call_waits();
		cr_unlock(args[2], True);
		break;
	case CR_REQ_COND_POST:
		cr_locked(args[2], False, CR_MUTEX);
		if (args[3])
			cr_acquire(args[1]);
		break;
	case CR_REQ_BARRIER_INIT:
		cr_barrier_init(args[1], (UInt)args[2]);
		break;
	case CR_REQ_BARRIER_ENTER:
		cr_barrier_enter(args[1]);
		break;
	case CR_REQ_BARRIER_LEAVE:
		cr_barrier_leave(args[1]);
		break;
	case CR_REQ_REST:
		cr_call_rests();
		break;
	case CR_REQ_LABEL:
		*ret = cr_label_count((cr_label)label_of(args[1]));
		break;
	case CR_REQ_SAME_LABEL:
		*ret = cr_label_common((cr_label)label_of(args[1]), (cr_label)label_of(args[2]));
		break;
	default:
		return False;
	}
	return True;
}

/* ---- start and end -------------------------------------------------------------------------------- */

static void finish(Int code)
{
	if (!is_child)
		cr_result_write(code);
}

static void signal_begins(ThreadId tid, Int sig, Bool alt_stack)
{
	cr_signal_begin(tid);
}

static void signal_ended(ThreadId tid, Int sig)
{
	cr_signal_end(tid);
}

static void describe(void)
{
	VG_(details_name)("heddle correlate");
	VG_(details_version)(NULL);
	VG_(details_description)("variables that belong together, and races on them");
	VG_(details_copyright_author)("part of heddle; GPL-2.0-or-later, as Valgrind's core");
	VG_(details_bug_reports_to)("the makers of heddle");
	VG_(details_avg_translation_sizeB)(700);
}

static void pre_options(void)
{
	describe();
	VG_(basic_tool_funcs)(options_done, cr_instrument, finish);
	VG_(needs_command_line_options)(take_option, usage, debug_usage);
	VG_(needs_client_requests)(on_request);
	cr_heap_init();
	VG_(track_pre_thread_ll_create)(thread_new);
	VG_(track_pre_thread_ll_exit)(cr_thread_end);
	VG_(track_start_client_code)(thread_runs);
	VG_(track_new_mem_mmap)(memory_new);
	VG_(track_new_mem_brk)(memory_grown);
	VG_(track_die_mem_munmap)(memory_gone);
	VG_(track_pre_mem_read)(kernel_reads);
	VG_(track_pre_mem_write)(kernel_writes);
	VG_(track_post_mem_write)(kernel_wrote);
	VG_(track_post_reg_write)(registers_written);
	VG_(track_pre_deliver_signal)(signal_begins);
	VG_(track_post_deliver_signal)(signal_ended);
	VG_(atfork)(NULL, NULL, in_child);
}

VG_DETERMINE_INTERFACE_VERSION(pre_options)
