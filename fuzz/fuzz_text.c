/* The text form of a trace. */
#include "fuzz_common.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_check_inverse(hd_text_import, data, size);
	return 0;
}
