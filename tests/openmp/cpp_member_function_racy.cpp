/*
 * A member function is called in parallel: on the one object, and on a copy for each thread.
 * race: 9 9
 */
class sum {
	int n = 0;

public:
	void add(int i) { n += i; }
	int get() const { return n; }
};

int main()
{
	sum s;

#pragma omp parallel for
	for (int i = 0; i < 30; i++)
		s.add(i);
	return s.get() < 0;
}
