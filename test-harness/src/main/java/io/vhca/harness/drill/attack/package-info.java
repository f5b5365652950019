/**
 * The attack drill: a file crosses {@code bond0} between two processes, again and again, while a third attacks both.
 *
 * <pre>
 *   controller (this process)
 *     |-- sender, receiver:  bond0 over two soft RNICs whose carriers keep what a listener would have seen
 *     '-- attacker:          sockets of its own; packets built by the soft device's descriptors
 * </pre>
 *
 * One attack after the other: throughput and memory before, the attack, both again, and whether all that was sent
 * meanwhile arrived. Where an attack ends the transfer the next one finds a new pair of ends.
 */
@NullMarked
package io.vhca.harness.drill.attack;

import org.jspecify.annotations.NullMarked;
