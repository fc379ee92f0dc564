/* Instructions and stack of a call, in an emulator that counts one instruction as one nanosecond.
 * SysTick runs at 25 MHz: one tick is 40 instructions. */
#include <stdio.h>

#define SYST_CSR (*(volatile unsigned *)0xE000E010u)
#define SYST_RVR (*(volatile unsigned *)0xE000E014u)
#define SYST_CVR (*(volatile unsigned *)0xE000E018u)

enum { CALLS = 400, TICK = 40, PAINTED = 16384, PAINT = 0xA5 };

static unsigned ticks(void (*call)(void))
{
    unsigned begin;
    int i;
    SYST_RVR = 0xFFFFFFu;
    SYST_CVR = 0u;
    SYST_CSR = 5u;
    while (SYST_CVR == 0u) {
    }
    begin = SYST_CVR;
    for (i = 0; i < CALLS; i++) {
        call();
    }
    return begin - SYST_CVR;
}

static void nothing(void)
{
    __asm volatile("");
}

__attribute__((noinline)) static unsigned stack_of(void (*call)(void))
{
    volatile unsigned char *top, *p;
    __asm volatile("mov %0, sp" : "=r"(top));
    for (p = top - PAINTED; p < top; p++) {
        *p = PAINT;
    }
    call();
    for (p = top - PAINTED; p < top && *p == PAINT; p++) {
    }
    return ((unsigned)(top - p) + 3u) & ~3u; /* the last word may end with the paint's value */
}

static void report(const char *name, void (*call)(void))
{
    const unsigned used = stack_of(call) - stack_of(nothing);
    const unsigned spent = ticks(call) - ticks(nothing);
    printf("%s %u %u\n", name, (spent * TICK + CALLS / 2) / CALLS, used);
}
