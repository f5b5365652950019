/**
 * The soft RNIC's transport engine: RC and UD in RoCEv2 format, without I/O, clock or thread of its own.
 *
 * <p>{@link io.vhca.physical.soft.engine.SoftNic} is the door. Packets come and go through a
 * {@link io.vhca.physical.soft.Carrier}, time comes as an argument, and the next deadline is a return value. A
 * requester, a completer and a responder for every connection are loops over small steps, as the InfiniBand
 * specification divides the work.
 */
@NullMarked
package io.vhca.physical.soft.engine;

import org.jspecify.annotations.NullMarked;
