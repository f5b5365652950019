/** Deadlines of thousands: the connection manager's and the engine's timers. Imports no other package. */
@NullMarked
package io.vhca.physical.soft.timer;

import org.jspecify.annotations.NullMarked;
