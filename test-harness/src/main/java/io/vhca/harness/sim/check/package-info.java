/** What must hold in every run. */
@NullMarked
package io.vhca.harness.sim.check;

import org.jspecify.annotations.NullMarked;
