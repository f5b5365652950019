/**
 * The connection manager, as librdmacm has it: event channels, ids, listen, connect, accept, reject, disconnect.
 *
 * <p>Every step is asynchronous: a call starts it, an event on the id's channel ends it. Source: rdma_cm(7).
 */
@NullMarked
package io.vhca.api.cm;

import org.jspecify.annotations.NullMarked;
