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
	assert_wrong("1 < 2", "f: line 1: a goal begins with order or next, not '1'");
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
	const struct CMUnitTest tests[] = { cmocka_unit_test(terms), cmocka_unit_test(parts),
					    cmocka_unit_test(what_is_wrong),
					    cmocka_unit_test(patterns) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
