/** What hosts do on purpose that belong to nobody, or listen to others: nothing of it may move a session. */
@NullMarked
package io.vhca.harness.sim.fault.attack;

import org.jspecify.annotations.NullMarked;
