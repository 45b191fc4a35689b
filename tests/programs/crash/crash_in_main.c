/*
 * A crash of a program that never starts a thread.
 *
 * RUN: run
 * EXPECT: crash SIGSEGV @main:HERE
 * EXIT: SIGSEGV
 */
#include <stddef.h>

static volatile int *nowhere;

int main(void)
{
	return *nowhere; /* HERE */
}
