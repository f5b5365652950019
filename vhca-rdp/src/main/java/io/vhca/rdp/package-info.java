/** Reliable datagram sockets over any RDMA device: the sockets, and the driver under them. */
@NullMarked
package io.vhca.rdp;

import org.jspecify.annotations.NullMarked;
