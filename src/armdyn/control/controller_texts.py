"""The texts of a controller's C package, with gaps for names and sizes."""

from __future__ import annotations

from string import Template

from armdyn.control.control_step import Status

# What the references are, by the names of the program's inputs.
TOLD = {
    "q_ref": "desired positions [rad] or [m]",
    "qd_ref": "desired velocities [rad/s] or [m/s]",
    "qdd_ref": "desired accelerations [rad/s^2] or [m/s^2]",
    "pose_ref": "desired pose of the tip, a 4 x 4 matrix by rows",
    "twist_ref": "desired velocity [m/s] and angular velocity [rad/s] of the tip, in base axes",
}

STATUS_WORDS = {
    Status.STARTING: "velocities are not known yet: the law starts from what is measured",
    Status.LATE: "the sample came late, or its time is no number",
    Status.BAD_SAMPLE: "a position is no number, or jumps: the last motion is continued",
    Status.FROZEN: "no position changes though the reference travels",
    Status.HELD: "measurements are missing for too long: gravity is compensated, nothing else",
    Status.BAD_REFERENCE: "a reference is no number: the arm is braked",
    Status.REFERENCE_LIMITED: "a reference is beyond the limits of a joint, and is kept within",
    Status.TORQUE_LIMITED: "a torque is at its limit",
    Status.RATE_LIMITED: "a torque changes as fast as it may",
    Status.CONTACT: "a torque from outside is beyond its threshold",
}

HEADER = Template("""\
/** Number of joints. */
#define ${P}_JOINTS ${n}
/** Nominal time between samples [s]. */
#define ${P}_PERIOD ${period}

/** What happened in a period: a sum of these; 0 is an ordinary period. */
${flags}

/** What a controller keeps from one period to the next; one for each arm. */
typedef struct {
    ${real} state[${size}];
} ${p};

/** Forget all samples: the next one is a start without a jump of the torques. */
void ${p}_reset(${p} *controller);

/**
 * The torques of the coming period.
 *
 * @param controller what is kept; reset before the first sample
 * @param q measured positions [rad] or [m]; NaN is a bad sample
${parameters}
 * @param h time since the last sample [s], ${P}_PERIOD if no clock is at hand
 * @param tau torques [N m] or [N] to hold until the next sample, always finite and limited
${outside} * @return what happened: 0, or a sum of ${P}_LATE, ${P}_HELD, ...
 */
${prototype};
""")

SOURCE = Template("""\
void ${p}_reset(${p} *controller)
{
    static const ${real} start[${size}] = ${start};
    int i;
    for (i = 0; i < ${size}; i++) {
        controller->state[i] = start[i];
    }
}

${prototype}
{
    ${real} status[1];
    ${p}_period(q, ${given}&h, controller->state, tau, ${external}status, controller->state);
    return (unsigned)status[0];
}
""")

ROBOT_H = Template("""\
/* ${mark} */
/* The drives of the robot. robot_simulated.c simulates them; write your own file instead of it. */
#ifndef ROBOT_H
#define ROBOT_H

/** Open the drives; 0 if they are ready. */
int robot_open(void);

/** Read positions [rad] or [m]; NaN where none arrived. */
void robot_read(${real} q[${n}]);

/** Send torques [N m] or [N], which act until the next ones. */
void robot_write(const ${real} tau[${n}]);

/** Switch the drives off. */
void robot_close(void);

#endif
""")

SIMULATED = Template("""\
/* ${mark} */
/* The robot of robot.h, simulated: the arm of the model, without dry friction, from the middle of
 * its range. Replace this file by one that talks to your drives. */
#include "${arm}.h"
#include "robot.h"

static ${real} q_now[${n}] = ${q0};
static ${real} qd_now[${n}];

int robot_open(void)
{
    return 0;
}

void robot_read(${real} q[${n}])
{
    int i;
    for (i = 0; i < ${n}; i++) {
        q[i] = q_now[i];
    }
}

void robot_write(const ${real} tau[${n}])
{
    int k;
    for (k = 0; k < ${substeps}; k++) { /* one period */
        ${arm}_move(q_now, qd_now, tau, q_now, qd_now);
    }
}

void robot_close(void)
{
}
""")

REFERENCE = Template("""\
/* The motion to follow: every joint swings by ${swing} from where the arm was. Put yours here. */
static void reference(double t, const ${real} q0[${n}], ${real} q[${n}], ${real} qd[${n}],
    ${real} qdd[${n}])
{
    const double w = 1.5; /* rad/s */
    const double s = ${swing} * sin(w * t), c = ${swing} * cos(w * t);
    int i;
    for (i = 0; i < ${n}; i++) {
        q[i] = q0[i] + (${real})(${swing} - c);
        qd[i] = (${real})(w * s);
        qdd[i] = (${real})(w * w * c);
    }
}
""")

TIP_REFERENCE = Template("""\
/* The motion to follow: the tip goes 5 cm up and down from where it was. Put yours here. */
static void reference(double t, const ${real} start[16], ${real} pose[16], ${real} twist[6])
{
    const double w = 1.5; /* rad/s */
    int i;
    for (i = 0; i < 16; i++) {
        pose[i] = start[i];
    }
    for (i = 0; i < 6; i++) {
        twist[i] = (${real})0.0;
    }
    pose[11] += (${real})(0.025 * (1.0 - cos(w * t)));
    twist[2] = (${real})(0.025 * w * sin(w * t));
}
""")

POSIX = Template("""\
/* ${mark} */
/* A loop at ${rate} Hz for POSIX, by an absolute clock. For short delays run it with a real-time
 * priority on a core of its own (chrt -f 80 taskset -c 3 ./loop). Argument: seconds to run. */
#define _POSIX_C_SOURCE 200112L
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "${p}.h"
#include "robot.h"

static volatile sig_atomic_t running = 1;

static void stop(int number)
{
    (void)number;
    running = 0;
}

${reference}
static double seconds(const struct timespec *t)
{
    return (double)t->tv_sec + 1e-9 * (double)t->tv_nsec;
}

int main(int argc, char **argv)
{
    const double until = argc > 1 ? atof(argv[1]) : 5.0;
    const long period = (long)(1e9 * (double)${P}_PERIOD);
    static ${p} controller;
    struct timespec next, now;
    double begin, last, latest = 0.0, worst = 0.0;
    unsigned long samples = 0, odd = 0;
    unsigned seen = 0;
    ${real} q[${n}], tau[${n}]${variables};
    int i;

    if (robot_open() != 0) {
        fprintf(stderr, "the drives are not ready\\n");
        return 1;
    }
    signal(SIGINT, stop);
    signal(SIGTERM, stop);
    ${p}_reset(&controller);
    robot_read(q);
${prepare}    clock_gettime(CLOCK_MONOTONIC, &next);
    begin = last = seconds(&next);
    last -= (double)${P}_PERIOD;
    while (running) {
        double t, late;
        ${real} h;
        unsigned status;
        clock_gettime(CLOCK_MONOTONIC, &now);
        t = seconds(&now) - begin;
        if (t >= until) {
            break;
        }
        late = seconds(&now) - seconds(&next);
        latest = late > latest ? late : latest;
        robot_read(q);
${refer}        h = (${real})(seconds(&now) - last);
        status = ${p}_step(&controller, q, ${given}h, tau${external});
        last = seconds(&now);
        robot_write(tau);
        if (status & (${P}_BAD_SAMPLE | ${P}_HELD | ${P}_FROZEN | ${P}_BAD_REFERENCE)) {
            odd++;
        }
        seen |= status;
        samples++;
        for (i = 0; i < ${n}; i++) {
            worst = fabs((double)tau[i]) > worst ? fabs((double)tau[i]) : worst;
        }
        next.tv_nsec += period;
        while (next.tv_nsec >= 1000000000L) {
            next.tv_nsec -= 1000000000L;
            next.tv_sec++;
        }
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
    }
    robot_close();
    printf("%lu periods, %lu of them with faults, status seen 0x%x\\n", samples, odd, seen);
    printf("latest start %.0f us, largest torque %.3g\\n", 1e6 * latest, worst);
    return odd != 0;
}
""")

BARE = Template("""\
/* ${mark} */
/* A loop for a microcontroller without an operating system: let a timer call control_tick() at
 * ${rate} Hz, from its interrupt. With -DCONTROL_PERIODS=N it does not wait for the timer and stops
 * after N periods, to try it in an emulator; the exit status is then 0 if no period had a fault. */
#include <math.h>

#include "${p}.h"
#include "robot.h"

static volatile unsigned ticks;

/** The interrupt of the timer. */
void control_tick(void);

void control_tick(void)
{
    ticks++;
}

${reference}
int main(void)
{
    static ${p} controller;
    unsigned done = 0, odd = 0;
    unsigned long samples = 0;
    ${real} q[${n}], tau[${n}]${variables};

    if (robot_open() != 0) {
        return 1;
    }
    ${p}_reset(&controller);
    robot_read(q);
${prepare}    for (;;) {
        const double t = (double)samples * (double)${P}_PERIOD;
        unsigned status, now;
        ${real} h;
#ifdef CONTROL_PERIODS
        if (samples >= CONTROL_PERIODS) {
            break;
        }
        ticks++;
#endif
        while (ticks == done) { /* or sleep until the next interrupt */
        }
        now = ticks;
        robot_read(q);
${refer_bare}        h = (${real})(now - done) * ${P}_PERIOD;
        status = ${p}_step(&controller, q, ${given}h, tau${external});
        done = now;
        robot_write(tau);
        odd |= status & (${P}_BAD_SAMPLE | ${P}_HELD | ${P}_FROZEN | ${P}_BAD_REFERENCE);
        samples++;
    }
    robot_close();
    return odd != 0;
}
""")

CPP = Template("""\
// ${mark}
// The controller in C++17. Vectors may be std::array, std::span, Eigen vectors or anything else
// with data() and size(); nothing is copied or allocated.
#ifndef ${P}_HPP
#define ${P}_HPP

#include <cassert>
#include <cstddef>

#include "${p}.h"

namespace ${p}_cpp {

using Real = ${real};

/// Number of joints.
inline constexpr std::size_t joints = ${n};
/// Nominal time between samples [s].
inline constexpr Real period = ${period};

class Controller {
public:
    Controller() noexcept { reset(); }

    /// Forget all samples: the next one is a start without a jump of the torques.
    void reset() noexcept { ${p}_reset(&memory_); }

    /// The torques of the coming period; returns the status, see ${p}.h.
    template <${template_names}>
    unsigned step(${cpp_parameters})
    {
        assert(q.size() == joints && tau.size() == joints);
${cpp_checks}        return ${p}_step(&memory_, q.data(), ${cpp_given}h, tau.data()${cpp_external});
    }

private:
    ${p} memory_;
};

}  // namespace ${p}_cpp

#endif
""")

# The reference of the example in C++: of joints, of the tip, and none.
CPP_JOINTS = """\
        const double w = 1.5, swing = 0.2; // rad/s, rad or m: put your motion here
        Vector q_ref = start_, qd_ref{}, qdd_ref{};
        for (std::size_t i = 0; i < q_ref.size(); i++) {
            q_ref[i] += static_cast<${p}_cpp::Real>(swing * (1.0 - std::cos(w * time)));
            qd_ref[i] = static_cast<${p}_cpp::Real>(swing * w * std::sin(w * time));
            qdd_ref[i] = static_cast<${p}_cpp::Real>(swing * w * w * std::cos(w * time));
        }
"""
CPP_TIP = """\
        std::array<${p}_cpp::Real, 16> pose_ref{}; // put your motion here
        const std::array<${p}_cpp::Real, 6> twist_ref{};
        ${p}_pose(start_.data(), pose_ref.data());
        (void)time;
"""
CPP_NONE = """\
        (void)time;
"""

EXAMPLE = Template("""\
// ${mark}
// The controller in the shape of a ros2_control controller, without ROS: on_activate() and update()
// are what a controller_interface::ControllerInterface calls, with interfaces in the place of
// vectors. main() runs it on the simulated drives.
#include <array>
#include <cmath>
#include <cstdio>

#include "${p}.hpp"

extern "C" {
#include "robot.h"
}

namespace {

using Vector = std::array<${p}_cpp::Real, ${p}_cpp::joints>;

enum class Return { ok, error };

class JointController {
public:
    /// The state interfaces, the command interfaces.
    Vector position{}, effort{}${cpp_state};

    void on_activate()
    {
        controller_.reset();
        start_ = position;
    }

    Return update(double time, double period)
    {
${cpp_reference}        const unsigned status = controller_.step(
            position, ${cpp_example}static_cast<${p}_cpp::Real>(period), effort${cpp_outside});
        return (status & ${P}_HELD) != 0u ? Return::error : Return::ok;
    }

private:
    ${p}_cpp::Controller controller_;
    Vector start_{};
};

}  // namespace

int main()
{
    JointController loop;
    int errors = 0;
    if (robot_open() != 0) {
        return 1;
    }
    robot_read(loop.position.data());
    loop.on_activate();
    for (int k = 0; k < 1000; k++) {
        robot_read(loop.position.data());
        const double period = ${p}_cpp::period;
        if (loop.update(k * period, period) != Return::ok) {
            errors++;
        }
        robot_write(loop.effort.data());
    }
    robot_close();
    std::printf("%d of 1000 periods with an error\\n", errors);
    return errors != 0;
}
""")

MAKEFILE = Template("""\
# ${mark}
# make: the loop on the simulated arm; make test: compare the controller with recorded periods
CFLAGS ?= -O2
CONTROL = ${p}.c ${p}.h
FLAGS = -std=c99 -Wall -Wextra -Wconversion $$(CFLAGS)

loop: main_posix.c robot_simulated.c robot.h ${arm}.c ${arm}.h $$(CONTROL)
\t$$(CC) $$(FLAGS) main_posix.c robot_simulated.c ${arm}.c ${p}.c -lm -o $$@

test: ${p}_selftest ${arm}_selftest
\t./${p}_selftest
\t./${arm}_selftest

${p}_selftest: ${p}_selftest.c $$(CONTROL)
\t$$(CC) $$(FLAGS) ${p}_selftest.c ${p}.c -lm -o $$@

${arm}_selftest: ${arm}_selftest.c ${arm}.c ${arm}.h
\t$$(CC) $$(FLAGS) ${arm}_selftest.c ${arm}.c -lm -o $$@

loop_cpp: main_update.cpp ${p}.hpp robot_simulated.c robot.h ${arm}.c ${arm}.h $$(CONTROL)
\t$$(CC) $$(FLAGS) -c robot_simulated.c ${arm}.c ${p}.c
\t$$(CXX) -std=c++17 -Wall -Wextra $$(CFLAGS) main_update.cpp robot_simulated.o ${arm}.o \\
\t\t${p}.o -lm -o $$@

clean:
\trm -f loop loop_cpp *.o ${p}_selftest ${arm}_selftest

.PHONY: test clean
""")

CMAKE = Template("""\
# ${mark}
cmake_minimum_required(VERSION 3.13)
project(${p} C)
set(CMAKE_C_STANDARD 99)
set(CMAKE_C_EXTENSIONS OFF)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()

add_library(${p} STATIC ${p}.c)
target_include_directories(${p} PUBLIC $${CMAKE_CURRENT_SOURCE_DIR})
target_link_libraries(${p} PUBLIC m)

add_executable(loop main_posix.c robot_simulated.c ${arm}.c)
target_link_libraries(loop ${p})

enable_testing()
add_executable(${p}_selftest ${p}_selftest.c)
target_link_libraries(${p}_selftest ${p})
add_test(NAME controller COMMAND ${p}_selftest)
""")


# The files beside those of `c_package`.
FILES = {
    "robot.h": ROBOT_H,
    "robot_simulated.c": SIMULATED,
    "main_posix.c": POSIX,
    "main_bare.c": BARE,
    "main_update.cpp": EXAMPLE,
    "Makefile": MAKEFILE,
    "CMakeLists.txt": CMAKE,
}
