/*
 * The binary trace. Checksums would keep a fuzzer out of everything behind them, so
 * an input that starts with 'P' is the inside of a chunk: kind (E or T), two bytes
 * of count, then the bytes that are wrapped and packed as the writer would.
 */
#include "fuzz_common.h"

#include <zstd.h>

#include "trace/trace_format.h"

static size_t put_chunk(uint8_t *out, size_t room, uint32_t kind, uint32_t count,
			const uint8_t *raw, size_t len)
{
	struct hd_chunk_header h = { kind, count, (uint32_t)len, 0, 0 };
	static ZSTD_CCtx *zstd; /* one for all inputs: to make one takes longer than the rest */
	size_t n;

	if (!zstd) {
		zstd = ZSTD_createCCtx();
		ZSTD_CCtx_setParameter(zstd, ZSTD_c_compressionLevel, -1); /* as the writer's */
		ZSTD_CCtx_setParameter(zstd, ZSTD_c_checksumFlag, 1);
	}
	n = ZSTD_compress2(zstd, out + HD_CHUNK_HEADER_LEN, room - HD_CHUNK_HEADER_LEN, raw, len);
	if (ZSTD_isError(n))
		abort();
	h.packed = (uint32_t)n;
	hd_chunk_header_put(out, &h);
	return HD_CHUNK_HEADER_LEN + n;
}

static void read_everything(const uint8_t *data, size_t size)
{
	static FILE *null;
	struct hd_errbuf eb;
	struct hd_trace *t;
	uint64_t left_out;

	if (!null)
		null = fopen("/dev/null", "w");
	if (!null)
		abort();
	if (hd_trace_open_mem(&t, data, size, &eb) == HD_OK) {
		hd_text_export(t, null, NULL, true, &eb);
		hd_std_export(t, null, NULL, &left_out, &eb);
		hd_chrome_export(t, null, NULL, &eb);
		hd_trace_close(t);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *file;
	size_t room, at = HD_TRACE_HEADER_LEN;

	if (size < 4 || data[0] != 'P') {
		read_everything(data, size);
		return 0;
	}
	room = 256 + ZSTD_compressBound(size);
	file = calloc(1, room);
	if (!file)
		abort();
	memcpy(file, HD_TRACE_MAGIC, 6);
	file[6] = HD_TRACE_VERSION;
	at += put_chunk(file + at, room - at, HD_CHUNK_META, 0, data, 0);
	at += put_chunk(file + at, room - at, data[1] == 'E' ? HD_CHUNK_EVENT : HD_CHUNK_TABLE,
			data[2] | (uint32_t)data[3] << 8, data + 4, size - 4);
	read_everything(file, at);
	free(file);
	return 0;
}
