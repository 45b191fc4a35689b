/*
 * The memory and string functions return what the standard says, also while their accesses
 * are recorded.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <search.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Read at run time, so that the compiler cannot work the calls out. */
static volatile int zero;

static const char *hide(const char *s)
{
	return s + zero;
}

static int by_letter(const void *a, const void *b)
{
	return *(const char *)a - *(const char *)b;
}

/* What is split, searched and sorted. */
static void more(char *a, char *b)
{
	char *rest, *at, key = 'x';
	size_t n = 3;

	strcpy(a, hide("k=v"));
	rest = a;
	assert(!strcmp(strsep(&rest, "="), "k") && !strcmp(rest, "v") && !strcmp(strsep(&rest, "="), "v"));
	assert(!rest && !strsep(&rest, "="));
	strcpy(a, hide("banana"));
	assert(memrchr(a, 'n', 6) == a + 4 && !memrchr(a, 'q', 6) && rawmemchr(a, 'n') == a + 2);
	assert(memmem(a, 6, "nan", 3) == a + 2 && !memmem(a, 6, "x", 1) && strpbrk(a, "xn") == a + 2);
	assert(strcasestr(a, "NAN") == a + 2 && memccpy(b, a, 'n', 6) == b + 3);
	assert(strtol(hide("-12z"), &at, 10) == -12 && *at == 'z' && strtoul(hide("ff"), NULL, 16) == 255);
	assert(strtod(hide("1.5e1x"), &at) == 15 && *at == 'x' && atol(hide("7")) == 7 && atof(hide("0.5")) == 0.5);
	qsort(a, 6, 1, by_letter);
	assert(!strcmp(a, "aaabnn"));
	assert(lsearch(&key, a, &n, 1, by_letter) == a + 3 && n == 4 && a[3] == 'x');
	assert(lsearch(&key, a, &n, 1, by_letter) == a + 3 && n == 4);
}

static void memory(char *a, char *b)
{
	for (int i = 0; i < 26; i++)
		a[i] = (char)('a' + i);
	assert(memcpy(b, a, (size_t)(26 + zero)) == b && b[25] == 'z');
	assert(mempcpy(b, a, (size_t)(5 + zero)) == b + 5);
	assert(memmove(a + 1, a, (size_t)(25 + zero)) == a + 1);
	assert(a[0] == 'a' && a[1] == 'a' && a[25] == 'y');
	assert(memset(a, 'q' + zero, 10) == a && a[9] == 'q' && a[10] == 'j');
	assert(memcmp("abc", hide("abd"), 3) < 0 && memcmp("abd", hide("abc"), 3) > 0);
	assert(memcmp("abc", hide("abd"), 2) == 0);
	assert(memchr(b, 'c', 26) == b + 2 && memchr(b, '!', 26) == NULL);
	bzero(a, (size_t)(4 + zero));
	assert(a[3] == 0 && a[4] == 'q');
	bcopy(b, a, (size_t)(3 + zero));
	assert(memcmp(a, "abc", 3) == 0);
}

static void copies(char *buf)
{
	assert(strcpy(buf, hide("hello")) == buf && strcmp(buf, "hello") == 0);
	assert(stpcpy(buf, hide("abc")) == buf + 3);
	assert(strncpy(buf, hide("xy"), 6) == buf && memcmp(buf, "xy\0\0\0\0", 6) == 0);
	assert(strncpy(buf, hide("123456"), 3) == buf && memcmp(buf, "123\0", 4) == 0);
	assert(strcat(buf, hide("45")) == buf && strcmp(buf, "12345") == 0);
	assert(strncat(buf, hide("6789"), 2) == buf && strcmp(buf, "1234567") == 0);
	assert(snprintf(buf, 4, "%d", 98765 + zero) == 5 && strcmp(buf, "987") == 0);
	assert(sprintf(buf, "%s-%d", "a", 7 + zero) == 3 && strcmp(buf, "a-7") == 0);
}

static void looks(const char *s)
{
	assert(strlen(s) == 11 && strnlen(s, 4) == 4 && strnlen(s, (size_t)(40 + zero)) == 11);
	assert(strchr(s, 'o') == s + 4 && strrchr(s, 'o') == s + 7);
	assert(strchr(s, 'X') == NULL && strchr(s, 0) == s + 11);
	assert(strstr(s, "wor") == s + 6 && strstr(s, "xyz") == NULL && strstr(s, "") == s);
	assert(strcmp(s, "hello") > 0 && strcmp("hello", s) < 0);
	assert(strncmp(s, "hello!", 5) == 0 && strncmp(s, "hello!", 6) != 0);
	assert(strcasecmp(s, "HELLO World") == 0 && strncasecmp(s, "HELp", 3) == 0);
	assert(strspn(s, "ehl") == 4 && strcspn(s, "ow") == 4);
}

static void duplicates(const char *s)
{
	char *all = strdup(s), *some = strndup(s, 5), *whole = strndup(s, (size_t)(100 + zero));

	assert(strcmp(all, s) == 0 && strcmp(some, "hello") == 0 && strcmp(whole, s) == 0);
	free(all);
	free(some);
	free(whole);
}

static void *thread(void *arg)
{
	char a[64], b[64], text[] = "hello world";

	memory(a, b);
	copies(a);
	looks(text);
	duplicates(text);
	more(a, b);
	return NULL;
}

int main(void)
{
	pthread_t t[2];
	char text[32];

	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, thread, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	strcpy(text, hide("  one,two;three")); /* only here: all threads share one place in it */
	assert(!strcmp(strtok(text, " ,"), "one") && !strcmp(strtok(NULL, ";"), "two"));
	assert(!strcmp(strtok(NULL, ";"), "three") && !strtok(NULL, ";"));
	return 0;
}
