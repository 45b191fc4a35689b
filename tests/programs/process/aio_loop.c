/*
 * Waits in a loop for what a thread of libc's own reads: it looks like a livelock to who does not know
 * of that thread.
 *
 * RUN: run --seed 1..5
 * EXPECT: clean
 * OUTPUT: read 4
 */
#include "../program.h"
#include <aio.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>

int main(void)
{
	static char buf[8];
	struct aiocb request;

	memset(&request, 0, sizeof(request));
	request.aio_fildes = open("/proc/self/exe", O_RDONLY);
	request.aio_buf = buf;
	request.aio_nbytes = 4;
	if (request.aio_fildes < 0 || aio_read(&request) != 0)
		return 1;
	while (aio_error(&request) == EINPROGRESS)
		;
	printf("read %d\n", (int)aio_return(&request));
	return 0;
}
