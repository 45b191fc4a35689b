#include "valgrind_version.h"

#include <stdio.h>
#include <string.h>

bool hd_valgrind_version(char *buf, size_t len)
{
	FILE *pipe = popen("valgrind --version 2>/dev/null", "r");
	bool ok = pipe && fgets(buf, (int)len, pipe);

	if (pipe)
		ok = pclose(pipe) == 0 && ok;
	if (ok)
		buf[strcspn(buf, "\n")] = 0;
	return ok;
}
