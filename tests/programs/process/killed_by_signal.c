/*
 * A program that ends itself with SIGTERM: told in the report, no finding.
 *
 * RUN: run
 * EXPECT: clean
 * EXIT: SIGTERM
 */
#include "../program.h"
#include <signal.h>

int main(void)
{
	raise(SIGTERM);
	return 0;
}
