/** The kinds of faults, a class each, and the table that scenarios draw from. */
@NullMarked
package io.vhca.harness.sim.fault.kind;

import org.jspecify.annotations.NullMarked;
