/* Reset of a Cortex-M without a C library's start-up: the FPU on, .bss cleared, semihosting on. */
#include <stdlib.h>

extern int main(void);
extern void initialise_monitor_handles(void);
extern unsigned armdyn_stack, armdyn_bss, armdyn_bss_end;

#define CPACR (*(volatile unsigned *)0xE000ED88u)

void reset(void)
{
    unsigned *p;
    CPACR |= 0xFu << 20;
    __asm volatile("dsb\n\tisb" ::: "memory");
    for (p = &armdyn_bss; p < &armdyn_bss_end; p++) {
        *p = 0u;
    }
    initialise_monitor_handles();
    exit(main());
}

void _fini(void) /* newlib's exit() calls it */
{
}

static void fault(void)
{
    _Exit(3);
}

__attribute__((section(".vectors"), used)) static void (*const vectors[16])(void) = {
    (void (*)(void))&armdyn_stack, reset, fault, fault, fault, fault, fault,
};
