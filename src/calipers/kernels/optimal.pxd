cdef int solve(int n_pairs, const int* truth, const int* pred, const long long* score, char* chosen) except -1 nogil
