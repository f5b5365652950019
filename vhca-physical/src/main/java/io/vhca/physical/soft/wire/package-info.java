/**
 * Layouts of the RoCEv2 packet: headers, opcodes, PSN arithmetic and the invariant CRC.
 *
 * <p>Source: InfiniBand Architecture Specification vol. 1, chapter 9, and its annex A17 (RoCEv2). Everything on the
 * wire is big-endian, the ICRC excepted.
 */
@NullMarked
package io.vhca.physical.soft.wire;

import org.jspecify.annotations.NullMarked;
