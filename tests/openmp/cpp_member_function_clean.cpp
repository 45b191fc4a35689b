/*
 * A member function is called in parallel: on the one object, and on a copy for each thread.
 * clean
 */
class sum {
	int n = 0;

public:
	void add(int i) { n += i; }
	int get() const { return n; }
};

int main()
{
	int total = 0;

#pragma omp parallel reduction(+ : total)
	{
		sum s;

#pragma omp for
		for (int i = 0; i < 30; i++)
			s.add(i);
		total += s.get();
	}
	return total != 435;
}
