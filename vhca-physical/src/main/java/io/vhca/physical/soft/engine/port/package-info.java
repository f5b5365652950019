/** The port of a soft RNIC: its state, GID, MTU and rate, and the packets that leave by it. */
@NullMarked
package io.vhca.physical.soft.engine.port;

import org.jspecify.annotations.NullMarked;
