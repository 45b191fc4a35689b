extern int total;
void add(int v);
int sum(const int *a, int n);
