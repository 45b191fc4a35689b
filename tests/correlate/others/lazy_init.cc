/*
 * Is it there? If not it is made, in the next section, which throws away what is there by then. GOOD: in one section.
 *
 * EXPECT: extended-race cfg._M_t._M_t._M_head_impl
 * PART
 * MISSED: clang-O0
 * ALWAYS: gcc-O0 gcc-O2
 */
#include <cstdio>
#include <memory>
#include <mutex>
#include <thread>
struct Config { int n; };
static std::mutex m;
static std::unique_ptr<Config> cfg;
static int made;
static bool ready() { std::lock_guard<std::mutex> g(m); return cfg != nullptr; }
static void create(int n) { std::lock_guard<std::mutex> g(m); cfg = std::make_unique<Config>(Config{ n }); made++; }
static int get(int n)
{
#ifdef GOOD
	std::lock_guard<std::mutex> g(m);
	if (!cfg) { cfg = std::make_unique<Config>(Config{ n }); made++; }
	return cfg->n;
#else
	if (!ready()) create(n);
	std::lock_guard<std::mutex> g(m);
	return cfg->n;
#endif
}
int main()
{
	(void)ready; (void)create;
	std::thread a([] { std::printf("%d\n", get(1)); }), b([] { std::printf("%d\n", get(2)); });
	a.join();
	b.join();
	std::printf("made %d\n", made);
}
