/** What all parts of the simulator share: sides, deadlines, random numbers, history, violations. */
@NullMarked
package io.vhca.harness.sim.core;

import org.jspecify.annotations.NullMarked;
