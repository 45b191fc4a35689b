/*
 * The plugin from within: what its parts do for each other.
 *
 *   inline_checks.cc  the pass, and the plugin's start
 *   runtime_names.cc  variables and functions of libheddle that the code refers to
 *   code_parts.cc     small pieces of code, and branches
 *   access_test.cc    the test in the place of a call before an access
 *   left_out.cc       files whose accesses nobody wants to look at
 *   by_name.cc        accesses to what has a name that matches
 *   idle_reads.cc     reads by whose value nothing is decided
 *   library_calls.cc  copies and comparisons that gcc knows as functions of the library
 *   functions.cc      entries and exits
 *   loops.cc          work that is counted, by rounds and calls
 *   ranges.cc         accesses of a loop that are told of as a range before it
 *
 * In a namespace: the compiler exports all of its own names.
 */
#ifndef HD_PLUGIN_HH
#define HD_PLUGIN_HH

#include "gcc-plugin.h"

#include "tree.h"
#include "gimple.h"
#include "gimple-iterator.h"
#include "tree-pass.h"
#include "context.h"
#include "basic-block.h"
#include "tree-cfg.h"
#include "cfghooks.h"
#include "cfganal.h"
#include "cfgloop.h"
#include "tree-ssa.h"
#include "ssa.h"
#include "gimple-expr.h"
#include "gimplify.h"
#include "gimplify-me.h"
#include "stringpool.h"
#include "attribs.h"
#include "dominance.h"
#include "fold-const.h"
#include "gimple-fold.h"
#include "tree-ssa-alias.h"
#include "tree-into-ssa.h"
#include "varasm.h"
#include "cfgloopmanip.h"
#include "tree-ssa-loop.h"
#include "tree-ssa-loop-manip.h"
#include "tree-ssa-loop-niter.h"
#include "tree-scalar-evolution.h"
#include "tree-cfgcleanup.h"
#include "diagnostic-core.h"
#include "asan.h"

#include "runtime/abi/inline_layout.h"

namespace heddle {

/* ---- runtime_names.cc ------------------------------------------------------ */

extern tree now_tags;	 /* thread-local: what words of this thread, now, look like */
extern tree now_wrote;	 /* thread-local: it has written */
extern tree where_base;	 /* thread-local: where the words are */
extern tree where_window; /* thread-local: which bits of an address choose one */
extern tree where_care; /* thread-local: which bits matter at an odd address */
extern tree now_calls;	 /* thread-local: entries of all functions are to be told */
extern tree now_ranges;	 /* thread-local: accesses of a loop may be told of before it */
extern tree slow_calls[2][4]; /* [write][log2 of the size] */
extern tree leaf_calls[2][4]; /* the same in a function that was not told of */
extern tree idle_calls[2][4]; /* [leaf]: of reads by whose value nothing is decided */
extern tree now_budget; /* thread-local: work until the scheduler is asked */
extern tree slow_loop, range_call;
extern tree part_call, whole_call; /* of a loop that is to be recorded as a whole */
extern tree block_calls[2]; /* [write]: of structures that are copied as a whole */
extern tree now_top;	/* thread-local: the shadow call stack */
extern tree now_limit;	/* thread-local: where it has no room */
extern tree slow_enter, slow_leave;
extern const struct ggc_root_tab roots[]; /* all of these: gcc collects what nobody refers to */

void declare_runtime(void);

/* ---- code_parts.cc --------------------------------------------------------- */

tree number(tree type, unsigned HOST_WIDE_INT n);
tree load_variable(gimple_seq *seq, tree v);
void store_variable(gimple_seq *seq, tree v, tree value);
/*
 * Behind @cond, before whatever follows it in its block: if so, which is unlikely, do @then, and if
 * not @otherwise, if there is one.
 */
void insert_unlikely(gcond *cond, gimple_seq then, gimple_seq otherwise = NULL);
void locate(gimple_seq seq, location_t where);
void remove_call(gimple *s);
tree ask_builtin(gimple_seq *seq, gcall *call);
/* Where the function returns to. */
tree return_address(gimple_seq *seq);

/* ---- access_test.cc -------------------------------------------------------- */

struct hook {
	gimple *call;
	bool write;
	unsigned log;	/* of the size */
	unsigned block; /* of a structure: its bytes; else 0 */
};

/* Is @s a call of gcc's that becomes a test? */
bool is_hook(gimple *s, struct hook *h);
void collect_hooks(basic_block bb, vec<hook> *hooks);
/* @leaf: in a function that calls nothing. */
void replace_hook(const struct hook *h, bool leaf);

/* ---- left_out.cc ----------------------------------------------------------- */

/* As the environment says. */
void limit_accesses(void);
void leave_out_accesses(function *fun);
/* Is it a call of gcc's that tells of an access? */
bool is_access(gimple *s, bool *write);
/* At the end of the file: their names go into the object. */
void tell_left_out(void *, void *);

/* ---- by_name.cc ------------------------------------------------------------ */

/* Only accesses to what @pattern names are looked at; NULL: to all. False: to all. */
bool limit_names(const char *pattern);
bool is_named_access(gimple *call);

/* ---- copies.cc ------------------------------------------------------------- */

/* What is copied is read before it is written, as far as hooks go, too. */
void mend_copies(function *fun);

/* ---- idle_reads.cc --------------------------------------------------------- */

bool is_idle(const struct hook *h);

/* ---- library_calls.cc ------------------------------------------------------ */

extern tree library_calls[END_BUILTINS]; /* those that are called */

/* Behind gcc's instrumentation: what is left of copies that gcc could write out becomes calls. */
void call_the_library(function *fun);
/* Before it: calls that copy a few bytes become assignments. */
void assign_short_copies(function *fun);

/* ---- functions.cc ---------------------------------------------------------- */

bool is_builtin(gimple *s, enum built_in_function which);
bool is_entry_or_exit(gimple *s);
/* Does @s leave the function for a while? What the compiler computes by itself does not. */
bool calls_out(gimple *s);
void enter_only_if_asked(const vec<gimple *> &entries);
void enter_and_leave_in_line(const vec<gimple *> &entries);

/* ---- loops.cc -------------------------------------------------------------- */

/*
 * A loop whose rounds can be counted before it begins. There are two of it: one without the tests of
 * accesses that a range before it stands for, and one with all of them, for runs that need each.
 */
struct counted {
	int first, second;  /* the numbers of the two loops */
	basic_block before; /* goes to where one of them is chosen */
	tree work;	    /* what all rounds together take */
};

/* Does anything in @l leave the function for a while, or leave the loop in an odd way? */
bool is_left(class loop *l);
void count_loops(function *fun, const vec<hook> &hooks, const vec<counted> &counted_loops);

/* ---- ranges.cc ------------------------------------------------------------- */

/* Loops that were made two are put into @list. */
void split_loops(function *fun, bool leaf, vec<counted> *list);

}

#endif
