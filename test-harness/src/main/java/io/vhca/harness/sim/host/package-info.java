/** The machines of a scenario: bonds over soft RNICs, or one soft RNIC alone. */
@NullMarked
package io.vhca.harness.sim.host;

import org.jspecify.annotations.NullMarked;
