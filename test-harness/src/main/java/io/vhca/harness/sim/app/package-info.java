/** The simulated applications: they know nothing of bonds. */
@NullMarked
package io.vhca.harness.sim.app;

import org.jspecify.annotations.NullMarked;
