/** What stands between a bond and its members: watches or changes what the bond asks of them. */
@NullMarked
package io.vhca.harness.sim.proxy;

import org.jspecify.annotations.NullMarked;
