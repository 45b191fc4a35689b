/*
 * A name is looked for in a map; if it is not there, it gets a number and is put in, in the next section. What was not
 * found has no value of its own: that depends on all that was looked at. GOOD: in one section.
 *
 * EXPECT: extended-race r.next_
 * PART
 * MISSED: gcc-O2
 * ALWAYS: gcc-O0
 */
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <cstdio>
class Registry {
	std::map<std::string, int> ids_;
	std::mutex mu_;
	int next_ = 1;
public:
	int intern(const std::string &name)
	{
#ifdef GOOD
		std::lock_guard<std::mutex> g(mu_);
		auto it = ids_.find(name);
		if (it != ids_.end()) return it->second;
		int id = next_++;
		ids_[name] = id;
		return id;
#else
		{
			std::lock_guard<std::mutex> g(mu_);
			auto it = ids_.find(name);
			if (it != ids_.end()) return it->second;
		}
		std::lock_guard<std::mutex> g(mu_);
		int id = next_++;
		ids_[name] = id;
		return id;
#endif
	}
};
static Registry r;
static void run(int k)
{
	for (int i = 0; i < 4; i++) r.intern("name" + std::to_string((i * k) % 5));
}
int main()
{
	std::thread a(run, 1), b(run, 2);
	a.join();
	b.join();
	std::printf("%d\n", r.intern("name1"));
}
