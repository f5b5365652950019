/**
 * The failover drill: a real file crosses {@code bond0} between two processes while links die under it.
 *
 * <pre>
 *   controller (this process)
 *     |-- sender:   bond0 over two soft RNICs, reads the file, sends it
 *     |-- receiver: bond0 over two soft RNICs, checks order and SHA-256, answers
 *     '-- fabric:   unplugs soft ports (loopback) or takes interfaces down (netns)
 * </pre>
 *
 * Commands go down the children's standard input, what they see comes back on their standard output, one
 * {@link io.vhca.harness.drill.protocol.DrillLine} each. A child whose input ends halts: children die with their
 * parent.
 */
@NullMarked
package io.vhca.harness.drill;

import org.jspecify.annotations.NullMarked;
