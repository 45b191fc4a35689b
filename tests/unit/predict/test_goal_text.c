/* Goals as people write them: what each word becomes, and what is said of the others. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "predict/goal_text.h"
#include "trace/event.h"

static struct hd_errbuf eb;

static void parse(struct hd_user_goals *g, const char *text)
{
	eb.text[0] = 0;
	if (hd_user_goals_parse(g, text, strlen(text), "f", &eb) != HD_OK)
		fail_msg("'%s': %s", text, eb.text);
}

static void assert_wrong(const char *text, const char *said)
{
	struct hd_user_goals g;

	assert_int_equal(hd_user_goals_parse(&g, text, strlen(text), "f", &eb), HD_ERR_PARSE);
	assert_string_equal(eb.text, said);
	assert_int_equal(g.n, 0);
	assert_null(g.list);
}

static void terms(void **state)
{
	const struct hd_term *t;
	struct hd_user_goals g;

	parse(&g, "# all\n\norder T1 read x < T0 any lock@dir/a.c:40 < 12 < write@b.c:7 #2\n");
	assert_int_equal(g.n, 1);
	assert_int_equal(g.list[0].line, 3);
	assert_string_equal(g.list[0].text,
			    "order T1 read x < T0 any lock@dir/a.c:40 < 12 < write@b.c:7 #2");
	assert_int_equal(g.list[0].norder, 4);
	assert_int_equal(g.list[0].nnext, 0);
	assert_false(g.list[0].open_end);
	t = g.list[0].order;
	assert_int_equal(t[0].thread, 2); /* T1, plus one */
	assert_int_equal(t[0].op, HD_OP_READ);
	assert_string_equal(t[0].name, "x");
	assert_null(t[0].file);
	assert_int_equal(t[0].nth, 0);
	assert_int_equal(t[1].thread, 1);
	assert_int_equal(t[1].op, 0);
	assert_string_equal(t[1].name, "lock");
	assert_string_equal(t[1].file, "dir/a.c");
	assert_int_equal(t[1].line, 40);
	assert_true(t[2].numbered);
	assert_int_equal(t[2].number, 12);
	assert_false(t[3].numbered);
	assert_int_equal(t[3].thread, 0);
	assert_int_equal(t[3].op, HD_OP_WRITE);
	assert_null(t[3].name);
	assert_string_equal(t[3].file, "b.c");
	assert_int_equal(t[3].line, 7);
	assert_int_equal(t[3].nth, 2);
	hd_user_goals_free(&g);
	assert_int_equal(g.n, 0);
}

static void parts(void **state)
{
	struct hd_user_goals g;

	parse(&g, "order 1<2 open ; next 4,5  # why\nnext T2 read x\r\n");
	assert_int_equal(g.n, 2);
	assert_string_equal(g.list[0].text, "order 1<2 open ; next 4,5");
	assert_true(g.list[0].open_end);
	assert_int_equal(g.list[0].norder, 2);
	assert_int_equal(g.list[0].nnext, 2);
	assert_int_equal(g.list[0].next[1].number, 5);
	assert_false(g.list[1].open_end);
	assert_int_equal(g.list[1].norder, 0);
	assert_int_equal(g.list[1].nnext, 1);
	assert_int_equal(g.list[1].line, 2);
	hd_user_goals_free(&g);
	parse(&g, "order 1<2<3<4<5<6<7<8<9<10<11<12<13<14<15<9999999999999999999");
	assert_int_equal(g.list[0].norder, 16);
	assert_true(g.list[0].order[15].number == 9999999999999999999u);
	hd_user_goals_free(&g);
}

static void what_is_wrong(void **state)
{
	assert_wrong("", "f: there is no goal in it");
	assert_wrong("# nothing\n\n", "f: there is no goal in it");
	assert_wrong("next 1; 2",
		     "f: line 1: the parts of a goal begin with order or next, not '2'");
	assert_wrong("\n\norder 1", "f: line 3: an order has at least two events: order A < B");
	assert_wrong("order 1 < 2; order 3 < 4", "f: line 1: a goal has one order");
	assert_wrong("order 1 < 2 3", "f: line 1: this does not belong here: '3'");
	assert_wrong("next frobnicate x", "f: line 1: there is no operation 'frobnicate'");
	assert_wrong("next T1 , 3", "f: line 1: an operation is missing before ', 3'");
	assert_wrong("next read",
		     "f: line 1: say of what or where: a name, @FILE:LINE or an event's "
		     "number belongs to 'read'");
	assert_wrong("next read@a.c", "f: line 1: a place is @FILE:LINE, not '@a.c'");
	assert_wrong("next read@:3", "f: line 1: a place is @FILE:LINE, not '@:3'");
	assert_wrong("next read@a.c:0", "f: line 1: a place is @FILE:LINE, not '@a.c:0'");
	assert_wrong("next read@a.c:4294967296",
		     "f: line 1: a place is @FILE:LINE, not '@a.c:4294967296'");
	assert_wrong("next read x #0",
		     "f: line 1: after # comes which of the events that fit, from "
		     "1, not '0'");
	assert_wrong("order 1<2<3<4<5<6<7<8<9<10<11<12<13<14<15<16<17",
		     "f: line 1: a goal has at most 16 events of a kind");
	/* What is shown of a word is short, and nothing that a terminal obeys. */
	assert_wrong("next \x1b[1m x", "f: line 1: there is no operation '?[1m'");
	assert_wrong(
		"next aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
		"f: line 1: there is no operation "
		"'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'");
	assert_int_equal(hd_user_goals_parse(&(struct hd_user_goals){ 0 }, "next\0 1", 7, "f", &eb),
			 HD_ERR_PARSE);
	assert_string_equal(eb.text, "f: line 1: there is a byte 0");
}

static void sentences(void **state)
{
	const struct hd_user_goal *goal;
	struct hd_user_goals g;

	parse(&g,
	      "free(p) before use(*)\n"
	      "T2 reads x between dir/a.c:40 and a.c:44 #3\n"
	      "a.c:12 twice without T1 locks m in push at b.c:3 between\n"
	      "Ta enters push then Tb cas-fail x@a.c:7 without frees (q) then Ta leaves push\n");
	assert_int_equal(g.n, 4);
	goal = &g.list[0];
	assert_true(goal->sentence && !goal->between && !goal->twice && !goal->open_end);
	assert_int_equal(goal->norder, 2);
	assert_int_equal(goal->order[0].op, HD_OP_FREE);
	assert_true(goal->order[0].block && goal->order[1].block);
	assert_string_equal(goal->order[0].name, "p");
	assert_string_equal(goal->order[1].name, "*");
	assert_int_equal(goal->order[1].verb, HD_VERB_USES);
	goal = &g.list[1];
	assert_true(goal->between && goal->open_end);
	assert_int_equal(goal->norder, 3);
	assert_int_equal(goal->order[1].thread, 3);
	assert_int_equal(goal->order[1].verb, HD_VERB_READS);
	assert_string_equal(goal->order[0].file, "dir/a.c");
	assert_true(hd_term_is_line(&goal->order[0]) && !hd_term_is_line(&goal->order[1]));
	assert_int_equal(goal->order[2].line, 44);
	assert_int_equal(goal->order[2].nth, 3);
	goal = &g.list[2];
	assert_true(goal->twice && goal->is_without[0] && !goal->is_without[1]);
	assert_int_equal(goal->norder, 2);
	assert_int_equal(goal->order[1].line, 12);
	assert_string_equal(goal->order[1].file, "a.c");
	assert_int_equal(goal->without[0].op, HD_OP_ACQUIRE);
	assert_string_equal(goal->without[0].name, "m");
	assert_string_equal(goal->without[0].function, "push");
	assert_int_equal(goal->without[0].line, 3);
	goal = &g.list[3];
	assert_int_equal(goal->norder, 3);
	assert_int_equal(goal->order[0].who, 'a');
	assert_int_equal(goal->order[0].op, HD_OP_FUNC_ENTRY);
	assert_string_equal(goal->order[0].function, "push");
	assert_null(goal->order[0].name);
	assert_int_equal(goal->order[1].op, HD_OP_ATOMIC_CAS_FAIL);
	assert_true(goal->is_without[0] && !goal->is_without[1] && goal->without[0].block);
	assert_int_equal(goal->order[2].op, HD_OP_FUNC_EXIT);
	hd_user_goals_free(&g);
}

static void wrong_sentences(void **state)
{
	assert_wrong("1 before 2",
		     "f: line 1: an event is FILE:LINE, or what is done: reads, writes, uses, "
		     "frees, locks, ..., not '1'");
	assert_wrong("reads x", "f: line 1: after the first event comes before, then, between or "
				"twice, not");
	assert_wrong("reads x < reads y", "f: line 1: after the first event comes before, then, "
					  "between or twice, not '< reads y'");
	assert_wrong("reads x before", "f: line 1: an event is missing before");
	assert_wrong("reads x before T1 ", "f: line 1: an event is missing before");
	assert_wrong("reads before reads x", "f: line 1: say of what or where: a name, a function "
					     "or FILE:LINE belongs to 'reads'");
	assert_wrong("free(p before reads x", "f: line 1: a parenthesis is not closed after 'p'");
	assert_wrong("free() before reads x", "f: line 1: a name is missing in the parentheses");
	assert_wrong("reads x in before", "f: line 1: after the first event comes before, then, "
					  "between or twice, not");
	assert_wrong("reads x in", "f: line 1: after in comes a function");
	assert_wrong("reads x at 12", "f: line 1: a place is FILE:LINE, not '12'");
	assert_wrong("reads x between a.c:1 or a.c:2", "f: line 1: between what and what? and is "
						       "missing before 'or a.c:2'");
	assert_wrong("reads x #2 twice", "f: line 1: what is done twice cannot have a number: #");
	assert_wrong("a.c:1 before a.c:2; next 3",
		     "f: line 1: this does not belong here: '; next 3'");
}

static void patterns(void **state)
{
	struct hd_user_goals g;

	assert_int_equal(hd_user_goals_patterns(&g, "1,5,3;10,7,12", &eb), HD_OK);
	assert_int_equal(g.n, 2);
	assert_int_equal(g.list[1].norder, 3);
	assert_int_equal(g.list[0].order[1].number, 5);
	assert_int_equal(g.list[1].order[0].number, 10);
	assert_int_equal(g.list[1].order[2].number, 12);
	assert_true(g.list[0].open_end && g.list[1].open_end);
	assert_string_equal(g.list[0].text, "1,5,3");
	hd_user_goals_free(&g);
	assert_int_equal(hd_user_goals_patterns(&g, "1,5", &eb), HD_ERR_PARSE);
	assert_string_equal(eb.text,
			    "--pattern: needs three numbers of events, E1,F,E2, not '1,5'");
	assert_int_equal(hd_user_goals_patterns(&g, "1,2,3,4", &eb), HD_ERR_PARSE);
	assert_int_equal(hd_user_goals_patterns(&g, "1,5,x", &eb), HD_ERR_PARSE);
	assert_int_equal(hd_user_goals_patterns(&g, "", &eb), HD_ERR_PARSE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(terms),	   cmocka_unit_test(parts),
		cmocka_unit_test(what_is_wrong),   cmocka_unit_test(sentences),
		cmocka_unit_test(wrong_sentences), cmocka_unit_test(patterns)
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
