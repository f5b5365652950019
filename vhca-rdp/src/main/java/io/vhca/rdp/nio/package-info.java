/** Reliable datagram sockets as NIO has them: a provider, its datagram channels, and a selector for all channels. */
@NullMarked
package io.vhca.rdp.nio;

import org.jspecify.annotations.NullMarked;
