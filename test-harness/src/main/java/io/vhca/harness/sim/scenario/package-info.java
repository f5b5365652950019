/** What one run is made of, and how it is drawn from a seed. */
@NullMarked
package io.vhca.harness.sim.scenario;

import org.jspecify.annotations.NullMarked;
