/*
 * Pragmas in every form that a preprocessor or a lexer could stumble over. Two threads: of eight
 * iterations each has four in a row, of which two race wherever the line says so.
 */
#include <cstdio>
#include <cstring>
#include <vector>

#define CHUNK 4
#define LOOP _Pragma("omp parallel for schedule(static)")
#define TEXT(x) #x
#define LOOP_BY(x) _Pragma(TEXT(omp parallel for schedule(static, x)))
#define BOTH(i) ((i) == 1 || (i) == 2)

int last[16];

static const char text[] = R"x(
#pragma omp parallel for
#pragma omp cancel for
)x";

template <typename T> static void by_template(T n)
{
#pragma omp parallel for
	for (T i = 0; i < n; i++)
		if (BOTH(i))
			last[0] = i; // race
}

int main()
{
	std::vector<int> v{ 1, 2 };
	const char *s = "/* not a comment", *t = "#pragma omp parallel for ordered";
	int big = 1'000;

	by_template(8);
LOOP
	for (int i = 0; i < 8; i++)
		if (BOTH(i))
			last[1] = i; // race
LOOP_BY(1)
	for (int i = 0; i < 8; i++)
		if (BOTH(i))
			last[2] = i; // race
#pragma omp parallel for schedule(static, CHUNK) /* chunks are whole */
	for (int i = 0; i < 8; i++)
		if (BOTH(i))
			last[3] = i;
#pragma omp \
	parallel for \
	schedule(static) // schedule(dynamic)
	for (int i = 0; i < 8; i++)
		if (BOTH(i))
			last[4] = i; // race
#if 0
#pragma omp parallel for
	This is no C++.
#endif
#pragma omp parallel
#pragma omp for collapse(2) nowait
	for (int i = 0; i < 2; i++)
		for (int k = 0; k < 4; k++)
			if (BOTH(4 * i + k))
				last[5] = k; // race
#line 1000 "pragmas.cpp"
	auto nested = [&]() {
#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp parallel for num_threads(2)
		for (int i = 0; i < 8; i++)
			if (BOTH(i))
#line 1007 "pragmas.cpp"
				last[6] = i;
	};
	nested();
	fputs(text, stdout);
	return strlen(text) != 49 || strlen(s) != 16 || strlen(t) != 32 || big != 1000 || v.size() != 2;
}
