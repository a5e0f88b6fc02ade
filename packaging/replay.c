// Makes recorded calls of the compiled routines and compares what comes out; packaging/replay.py fills in the routines.
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef _WIN32
#include <windows.h>
#define OPEN(path) ((void *)LoadLibraryA(path))
#define FIND(library, name) ((void *)GetProcAddress((HMODULE)library, name))
#else
#include <dlfcn.h>
#define OPEN(path) dlopen(path, RTLD_NOW)
#define FIND(library, name) dlsym(library, name)
#endif

typedef union { void *p; long long i; double d; } Argument;
struct Routine { const char *name; double tolerance; long long (*call)(void *, Argument *); };

/* routines */

#define COUNT ((int)(sizeof routines / sizeof routines[0]))
enum { MOST = 64 };

// An array before a call, as it was after it when it was recorded, and as it is after it now.
struct Array { char cell; int64_t size; char *before, *expected, *found; };

static FILE *file;
static void get(void *to, size_t size) {
    if (fread(to, 1, size, file) != size) { puts("the recorded calls end too early"); exit(2); }
}

// Memory at a multiple of 64, like NumPy's or better.
static char *room(size_t size) {
    char *all = malloc(size + 64);
    if (!all) { puts("no memory"); exit(2); }
    return all + (64 - (uintptr_t)all % 64) % 64;
}

static struct Array read_array(void) {
    struct Array a;
    char changed;
    get(&a.cell, 1);
    get(&a.size, 8);
    get(&changed, 1);
    a.before = room(a.size), a.expected = room(a.size), a.found = room(a.size);
    get(a.before, a.size);
    memcpy(a.found, a.before, a.size);
    memcpy(a.expected, a.before, a.size);
    if (changed) get(a.expected, a.size);
    return a;
}

static double number(const char *at, char cell, int64_t i) {
    double d;
    float f;
    if (cell == 'd') { memcpy(&d, at + 8 * i, 8); return d; }
    memcpy(&f, at + 4 * i, 4);
    return f;
}

static int is_written(struct Array a, int64_t i, int width) {
    return memcmp(a.expected + i * width, a.before + i * width, width) != 0;
}

// The largest finite number that a call wrote to an array, or with `all` of those that it read too.
static double largest(struct Array a, int all) {
    const int width = a.cell == 'd' ? 8 : 4;
    double most = 0;
    if (a.cell != 'd' && a.cell != 'f') return 0;
    for (int64_t i = 0; i < a.size / width; ++i) {
        const double e = fabs(number(a.expected, a.cell, i));
        if ((all || is_written(a, i, width)) && e < INFINITY && e > most) most = e;
    }
    return most;
}

// The largest difference, relative to the largest number written, and at least to `unit`.
static double difference(struct Array a, double unit) {
    const int width = a.cell == 'd' ? 8 : 4;
    const double most = fmax(largest(a, 0), unit);
    double worst = 0;
    if (a.cell != 'd' && a.cell != 'f') return memcmp(a.found, a.expected, a.size) ? INFINITY : 0;
    for (int64_t i = 0; i < a.size / width; ++i) {
        if (!memcmp(a.found + i * width, a.expected + i * width, width)) continue;
        const double x = number(a.found, a.cell, i), y = number(a.expected, a.cell, i);
        const double off = x == y || (x != x && y != y) ? 0 : fabs(x - y) / most;
        worst = off <= worst ? worst : off == off ? off : INFINITY;
    }
    return worst;
}

// Makes the next call: the largest difference of all its arrays, or -1 where the library leaves the routine out.
static double replay(void *library, int routine) {
    Argument arguments[MOST];
    struct Array arrays[MOST];
    int arrays_read = 0;
    int32_t count;
    int64_t status;
    get(&count, 4);
    get(&status, 8);
    for (int i = 0; i < count; ++i) {
        char kind;
        get(&kind, 1);
        arguments[i].p = NULL;
        if (kind == 'i' || kind == 'd') get(&arguments[i], 8);
        if (kind == 'p') arguments[i].p = (arrays[arrays_read++] = read_array()).found;
    }
    void *function = FIND(library, routines[routine].name);
    if (!function) return -1;
    const long long found = routines[routine].call(function, arguments);
    if (status && found) return 0;  // a cell that can't be used: which is met first, and what is written by then, differs
    double worst = found == status ? 0 : INFINITY, most = 0;
    for (int i = 0; i < arrays_read; ++i)
        most = fmax(most, largest(arrays[i], !memcmp(arrays[i].before, arrays[i].expected, arrays[i].size)));
    for (int i = 0; i < arrays_read; ++i) {
        const double off = difference(arrays[i], 1e-6 * most);
        if (off > worst) worst = off;
    }
    return worst;
}

int main(int argc, char **argv) {
    static int calls[COUNT], wrong[COUNT], missing[COUNT];
    static double worst[COUNT];
    void *library = argc == 3 ? OPEN(argv[1]) : NULL;
    file = argc == 3 ? fopen(argv[2], "rb") : NULL;
    if (!library || !file) { puts("replay LIBRARY CALLS: one of them can't be opened"); return 2; }
    setvbuf(stdout, NULL, _IONBF, 0);
    for (int32_t routine; fread(&routine, 4, 1, file) == 1;) {
        if (getenv("PARZEN_REPLAY")) puts(routines[routine].name);  // the last one is what crashes
        const double off = replay(library, routine);
        if (off < 0) { missing[routine] = 1; continue; }
        ++calls[routine];
        wrong[routine] += off > routines[routine].tolerance;
        if (off > worst[routine]) worst[routine] = off;
    }
    int all = 0, bad = 0, left_out = 0, seen = 0;
    for (int r = 0; r < COUNT; ++r) {
        all += calls[r], bad += wrong[r], left_out += missing[r], seen += calls[r] > 0;
        if (wrong[r]) printf("%s: %d of %d calls differ, by %.2g\n", routines[r].name, wrong[r], calls[r], worst[r]);
    }
    printf("%d calls of %d routines, %d differ; %d routines are left out of this library\n", all, seen, bad, left_out);
    return bad > 0;
}
