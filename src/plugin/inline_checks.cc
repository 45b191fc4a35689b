/*
 * A gcc plugin: the calls that -fsanitize=thread puts before accesses become tests in line.
 *
 * gcc's own pass decides what is instrumented; this one runs right behind it. A call
 * __tsan_readN(p) or __tsan_writeN(p) becomes
 *
 *   word = *(shadow + (p & window))
 *   if (word does not say that this thread did the same here at this time)
 *           heddle_inline_readN(p);        // cold
 *
 * so that an access that can tell nothing new costs a load, a comparison and a branch. What the
 * words mean is in src/runtime/abi/inline_layout.h, which this must agree with; a version
 * is part of the names that it refers to, so that objects of another agreement do not link.
 *
 * Calls of functions and loops are counted in line, too: loops.cc.
 */
#include "plugin.hh"

#include "plugin-version.h"

int plugin_is_GPL_compatible;

using namespace heddle;

static bool tell_ranges; /* HEDDLE_INLINE=tests: without, to measure what they gain */

static const pass_data inline_pass = {
	GIMPLE_PASS, "heddle", OPTGROUP_NONE, TV_NONE, PROP_ssa | PROP_cfg, 0, 0, 0, TODO_update_ssa
};

struct inline_checks : gimple_opt_pass {
	bool optimising;

	inline_checks(gcc::context *c, bool when_optimising)
	    : gimple_opt_pass(inline_pass, c), optimising(when_optimising)
	{
	}

	bool gate(function *) override
	{
		return sanitize_flags_p(SANITIZE_THREAD) && optimising == (optimize > 0);
	}

	unsigned execute(function *fun) override
	{
		auto_vec<hook> hooks;
		auto_vec<counted> counted_loops;
		auto_vec<gimple *> entries;
		bool leaf = true;
		basic_block bb;

		declare_runtime();
		leave_out_accesses(fun);
		mend_copies(fun);
		call_the_library(fun);
		FOR_EACH_BB_FN(bb, fun)
		{
			for (gimple_stmt_iterator i = gsi_start_bb(bb); !gsi_end_p(i);
			     gsi_next(&i)) {
				if (is_gimple_call(gsi_stmt(i)) && is_entry_or_exit(gsi_stmt(i)))
					entries.safe_push(gsi_stmt(i));
				leaf = leaf && !calls_out(gsi_stmt(i));
			}
		}
		loop_optimizer_init(LOOPS_NORMAL | LOOPS_HAVE_RECORDED_EXITS);
		if (optimising && tell_ranges && number_of_loops(fun) > 1)
			split_loops(fun, leaf, &counted_loops);
		FOR_EACH_BB_FN(bb, fun)
		collect_hooks(bb, &hooks);
		count_loops(fun, hooks, counted_loops);
		for (const hook &each : hooks)
			replace_hook(&each, leaf);
		if (leaf)
			enter_only_if_asked(entries);
		else
			enter_and_leave_in_line(entries);
		loop_optimizer_finalize();
		mark_virtual_operands_for_renaming(fun);
		return 0;
	}
};

static const pass_data copies_pass = { GIMPLE_PASS,
				       "heddle_copies",
				       OPTGROUP_NONE,
				       TV_NONE,
				       PROP_ssa | PROP_cfg,
				       0,
				       0,
				       0,
				       TODO_update_ssa | TODO_update_address_taken };

struct short_copies : gimple_opt_pass {
	short_copies(gcc::context *c) : gimple_opt_pass(copies_pass, c)
	{
	}

	bool gate(function *) override
	{
		return sanitize_flags_p(SANITIZE_THREAD) && !flag_no_builtin;
	}

	unsigned execute(function *fun) override
	{
		assign_short_copies(fun);
		return 0;
	}
};

static void register_behind(const char *plugin, const char *pass, opt_pass *ours)
{
	struct register_pass_info i;

	i.pass = ours;
	i.reference_pass_name = pass;
	i.ref_pass_instance_number = 1;
	i.pos_op = PASS_POS_INSERT_AFTER;
	register_callback(plugin, PLUGIN_PASS_MANAGER_SETUP, NULL, &i);
}

int plugin_init(struct plugin_name_args *args, struct plugin_gcc_version *version)
{
	const char *wanted = getenv("HEDDLE_INLINE");

	if (!plugin_default_version_check(version, &gcc_version)) {
		inform(UNKNOWN_LOCATION,
		       "the plugin of heddle was built for another gcc %s; every access is a call, "
		       "which is slower",
		       gcc_version.basever);
		return 0;
	}
	limit_accesses();
	tell_ranges = !wanted || strcmp(wanted, "tests") != 0;
	register_callback(args->base_name, PLUGIN_REGISTER_GGC_ROOTS, NULL, (void *)roots);
	register_callback(args->base_name, PLUGIN_FINISH_UNIT, tell_left_out, NULL);
	register_behind(args->base_name, "ssa", new short_copies(g));
	register_behind(args->base_name, "tsan", new inline_checks(g, true));
	register_behind(args->base_name, "tsan0", new inline_checks(g, false));
	return 0;
}
