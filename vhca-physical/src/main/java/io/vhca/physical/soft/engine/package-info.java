/**
 * The soft RNIC's transport engine: RC and UD in RoCEv2 format, without I/O, clock or thread of its own.
 *
 * <p>{@link io.vhca.physical.soft.engine.SoftNic} is its entry point. Packets come and go through a
 * {@link io.vhca.physical.soft.carrier.Carrier}, time is an argument, and the next deadline is a return value. Each
 * package imports only those below it:
 *
 * <pre>
 *   engine            the device and its duty cycle, protection domains, queue pairs as applications see them
 *   rc, ud            the protocols: requester, completer and responder; datagrams and address handles
 *   qp                the context of a queue pair, its attributes, turns and timers
 *   queue             send and receive queues, SRQs, CQs
 *   memory, port      regions and keys; the port, its rate and its output
 *   core              EngineCore, configuration, counters, ownership, native memory
 * </pre>
 */
@NullMarked
package io.vhca.physical.soft.engine;

import org.jspecify.annotations.NullMarked;
