/** What a fault is, when it begins and ends, what it costs; and what carries faults out in a run. */
@NullMarked
package io.vhca.harness.sim.fault;

import org.jspecify.annotations.NullMarked;
