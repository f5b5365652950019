/** Faults that take turns away from the threads of a host, or time from its clock, a class a kind. */
@NullMarked
package io.vhca.harness.sim.fault.starve;

import org.jspecify.annotations.NullMarked;
