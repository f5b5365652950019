/**
 * The connection manager of the soft RNIC: CM management datagrams on QP1 underneath, rdma_cm's ids and events on top.
 *
 * <p>{@link io.vhca.physical.soft.cm.CommunicationManager} is the door. No thread, no clock and no randomness of its
 * own. Source: InfiniBand Architecture Specification vol. 1, chapter 12 and annex A11; rdma_cm(7).
 */
@NullMarked
package io.vhca.physical.soft.cm;

import org.jspecify.annotations.NullMarked;
