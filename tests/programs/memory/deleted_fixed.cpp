/*
 * Objects of all kinds, made and deleted by several threads.
 *
 * RUN: run --seed 1..10
 * EXPECT: clean
 */
#include "../program.h"

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

struct alignas(64) wide {
	char bytes[100];
};

int main()
{
	std::map<std::string, std::shared_ptr<std::vector<int>>> shared;
	std::vector<std::thread> threads;
	std::mutex m;

	for (int t = 0; t < 3; t++)
		threads.emplace_back([&, t] {
			for (int i = 0; i < 20; i++) {
				auto v = std::make_shared<std::vector<int>>();
				std::unique_ptr<wide> w(new wide);

				for (int k = 0; k < 100; k++)
					v->push_back(k);
				w->bytes[99] = 1;
				std::lock_guard<std::mutex> guard(m);
				shared["a rather long name " + std::to_string((i + t) % 7)] = v;
			}
		});
	for (auto &t : threads)
		t.join();
	return shared.size() == 7 ? 0 : 1;
}
