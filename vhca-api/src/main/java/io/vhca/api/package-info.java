/**
 * The verbs as interfaces: devices, protection domains, memory regions, queue pairs, completion queues and events.
 *
 * <p>An application chooses its device by name alone ({@link io.vhca.api.Devices#open}); {@code soft0}, {@code rxe0},
 * {@code mlx5_0} and {@code bond0} run the same code. Names are those of libibverbs; the Javadoc of each verb ends its
 * first sentence with the C name, and the man page of that name in rdma-core is the source unless another is given.
 *
 * <p>One error rule: fast-path calls ({@code postSend}, {@code postRecv}, {@code poll}) return a count or a negative
 * {@link io.vhca.api.Errno} and never throw for back-pressure; control calls throw
 * {@link io.vhca.api.VerbsException}; asynchronous failures arrive as a completion status or an async event.
 */
@NullMarked
package io.vhca.api;

import org.jspecify.annotations.NullMarked;
