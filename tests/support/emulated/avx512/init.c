/* The only process of the emulated machine: computes every case, and writes the results to the serial port. */
#include <fcntl.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

enum { MOST = 16, TIMES = 64 };

typedef long long number;
typedef void loop_function(void **, number *, const number *, void *);
typedef int double_batch(void *, loop_function *, void **, const number *, const number *, number, number, number,
                         number, number, int64_t, number, int64_t);
typedef int float_batch(void *, loop_function *, void **, const number *, const number *, number, number, number,
                        number, number, int32_t, number, int32_t);

struct program {
    const char *name;
    int bytes, inputs, operands;
    const number *sizes, *steps;
    const unsigned char *const *given;
    loop_function *loop;
    void *streaming; /* null if the program is not streamed */
    void (*link)(void *, void *, void *, void *);
    number (*ordinary)(void);
    number near, room, largest;
};

#include "programs.h" /* COUNT, programs, batch_of_doubles, batch_of_floats */

static size_t length(const struct program *p, int k) { return p->sizes[k] * COUNT * p->bytes; }

static void *room(size_t size) { return aligned_alloc(64, (size + 63) / 64 * 64); }

static void print(const unsigned char *bytes, size_t size) {
    for (size_t i = 0; i < size; i++)
        printf(i % 256 == 255 ? "%02x\n" : "%02x", bytes[i]);
    putchar('\n');
}

/* The same states again and again, streamed, have to give the same results. */
static int streams_the_same(const struct program *p, void **once) {
    void *many[MOST];
    for (int k = 0; k < p->operands; k++) {
        many[k] = room(TIMES * length(p, k));
        memset(many[k], 0xee, TIMES * length(p, k));
        for (int i = 0; k < p->inputs && i < TIMES; i++)
            memcpy((char *)many[k] + i * length(p, k), once[k], length(p, k));
    }
    int bad = p->bytes == 8
        ? batch_of_doubles(p->streaming, p->loop, many, p->sizes, p->steps, p->inputs, p->operands, 0, TIMES * COUNT,
                           p->near, p->ordinary(), p->room, p->largest)
        : batch_of_floats(p->streaming, p->loop, many, p->sizes, p->steps, p->inputs, p->operands, 0, TIMES * COUNT,
                          p->near, p->ordinary(), p->room, p->largest);
    for (int k = p->inputs; k < p->operands; k++)
        for (int i = 0; i < TIMES; i++)
            bad |= memcmp((char *)many[k] + i * length(p, k), once[k], length(p, k)) != 0;
    return !bad;
}

static void compute(const struct program *p) {
    void *operands[MOST];
    number count = COUNT;
    p->link((void *)sin, (void *)cos, (void *)malloc, (void *)free);
    for (int k = 0; k < p->operands; k++)
        operands[k] = k < p->inputs ? (void *)p->given[k] : room(length(p, k));
    p->loop(operands, &count, p->steps, NULL);
    printf("case %s\n", p->name);
    for (int k = p->inputs; k < p->operands; k++)
        print(operands[k], length(p, k));
    if (p->streaming)
        printf("streamed %s\n", streams_the_same(p, operands) ? "equal" : "different");
    fflush(stdout);
}

int main(void) {
    mount("devtmpfs", "/dev", "devtmpfs", 0, NULL);
    int port = open("/dev/ttyS0", O_RDWR | O_NOCTTY);
    dup2(port, 1);
    dup2(port, 2);
    puts("begin");
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
        compute(programs + i);
    puts("end");
    fflush(stdout);
    tcdrain(1);
    reboot(RB_POWER_OFF);
    for (;;)
        pause();
}
