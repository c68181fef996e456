// A precompiled header belongs to a program, and a program needs a source.
int main() {}
