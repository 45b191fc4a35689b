/*
 * The decoder of instructions against objdump, on a whole program: the same lengths, and the same
 * targets of jumps.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "correlate/cr_x86.h"

struct line {
	unsigned long pc;
	unsigned char bytes[16];
	unsigned length;
	char text[160];
};

/* "  1139:\t55 48 89 e5 \tpush %rbp" */
static int parse(const char *from, struct line *out)
{
	char *at;

	*out = (struct line){ 0 };
	out->pc = strtoul(from, &at, 16);
	if (at == from || *at != ':' || at[1] != '\t')
		return 0;
	for (at += 2; out->length < 16; at += 3) {
		char *end;
		unsigned long byte = strtoul(at, &end, 16);

		if (end != at + 2 || *at <= ' ' || *end != ' ')
			break;
		out->bytes[out->length++] = (unsigned char)byte;
	}
	if (*at == '\t')
		snprintf(out->text, sizeof(out->text), "%.150s", at + 1);
	return out->length > 0;
}

static int is_jump(const char *text)
{
	return (text[0] == 'j' || !strncmp(text, "bnd j", 5)) && !strchr(text, '*');
}

static void against_objdump(void **state)
{
	const char *path = getenv("HEDDLE_TEST_CODE");
	char command[512], buf[512];
	unsigned long count = 0, wrong = 0;
	FILE *pipe;

	(void)state;
	if (!path || system("objdump --version >/dev/null 2>&1") != 0)
		skip();
	snprintf(command, sizeof(command), "objdump -d -w -j .text '%s'", path);
	pipe = popen(command, "r");
	assert_non_null(pipe);
	while (fgets(buf, sizeof(buf), pipe)) {
		struct cr_insn insn;
		struct line l;

		if (!parse(buf + strspn(buf, " "), &l) || strstr(l.text, "(bad)"))
			continue;
		count++;
		if (!cr_x86_decode(l.bytes, l.length, l.pc, &insn) || insn.length != l.length) {
			if (wrong++ < 10)
				printf("%lx: %u bytes, not %u: %s", l.pc, insn.length, l.length,
				       l.text);
			continue;
		}
		if (is_jump(l.text)) {
			const char *hex = l.text + strcspn(l.text, " ");

			assert_true(insn.kind == CR_INSN_BRANCH || insn.kind == CR_INSN_JUMP);
			hex = l.text[0] == 'b' ? hex + 1 + strcspn(hex + 1, " ") : hex;
			assert_int_equal(insn.target, strtoul(hex, NULL, 16));
			assert_int_equal(insn.kind == CR_INSN_JUMP, !!strstr(l.text, "jmp"));
		}
	}
	pclose(pipe);
	printf("%lu instructions\n", count);
	assert_int_equal(wrong, 0);
	assert_true(count > 10000);
}

/* What breaks off is refused, at every length. */
static void cut_short(void **state)
{
	static const unsigned char code[] = { 0x66, 0x0f, 0x3a, 0x0f, 0x84, 0x24, 1, 2, 3, 4, 5 };
	struct cr_insn insn;

	(void)state;
	assert_true(cr_x86_decode(code, sizeof(code), 0, &insn));
	assert_int_equal(insn.length, sizeof(code));
	for (unsigned long room = 0; room < sizeof(code); room++)
		assert_false(cr_x86_decode(code, room, 0, &insn));
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(against_objdump),
					    cmocka_unit_test(cut_short) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
