/*
 * Values of a map are asked for and summed up. What a call leaves in registers in which arguments are passed is no argument of
 * the next one.
 *
 * EXPECT: none
 * ALWAYS: gcc-O0
 */
#include <cstdio>
#include <map>
#include <mutex>
#include <string>
#include <thread>
struct Memo {
	std::mutex m;
	std::map<std::string, int> map;
	bool has(const std::string &k) { std::lock_guard<std::mutex> g(m); return map.count(k) != 0; }
	int at(const std::string &k) { std::lock_guard<std::mutex> g(m); auto i = map.find(k); return i == map.end() ? -1 : i->second; }
	void put(const std::string &k, int v) { std::lock_guard<std::mutex> g(m); map[k] = v; }
	void evict(const std::string &k) { std::lock_guard<std::mutex> g(m); map.erase(k); }
	int get_or(const std::string &k, int d) { std::lock_guard<std::mutex> g(m); auto i = map.find(k); return i == map.end() ? d : i->second; }
};
static Memo memo;
int main()
{
	memo.put("a", 1); memo.put("b", 2);
	int sum = 0;
	std::thread x([&] {
		for (const char *k : { "a", "b", "a", "b" }) {
			sum += memo.get_or(k, 0);
		}
	});
	std::thread y([] { memo.evict("a"); memo.put("b", 5); memo.evict("b"); });
	x.join(); y.join();
	std::printf("%d\n", sum);
}
