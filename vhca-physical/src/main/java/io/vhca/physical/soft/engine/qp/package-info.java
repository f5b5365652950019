/**
 * The engine's side of a queue pair, whatever its transport: its state, attributes, completions, turns and timers. A
 * {@link io.vhca.physical.soft.engine.qp.Transport} is the protocol above it.
 */
@NullMarked
package io.vhca.physical.soft.engine.qp;

import org.jspecify.annotations.NullMarked;
