/*
 * A log buffer and its fill count without locks: one race on both, not several on each.
 *
 * EXPECT: extended-race out_count out_buffer
 * GROUP: out_count out_buffer
 * ONE
 */
#include "../pair.h"

#define SIZE 64

char out_buffer[SIZE];
int out_count;

static int length_of(const char *s)
{
	int n = 0;

	while (s[n])
		n++;
	return n;
}

static void buffer_append(const char *s)
{
	int len = length_of(s);

	if (len + out_count >= SIZE)
		out_count = 0; /* written out */
	for (int i = 0; i < len; i++)
		out_buffer[out_count + i] = s[i];
	out_count = out_count + len;
}

static void a(void)
{
	char s[32];

	snprintf(s, sizeof(s), "line %d of the log\n", 1);
	buffer_append(s);
}

static void b(void)
{
	char s[32];

	snprintf(s, sizeof(s), "line %d of the log\n", 2);
	buffer_append(s);
}
