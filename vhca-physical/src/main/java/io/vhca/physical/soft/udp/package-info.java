/** The UDP carrier of the soft RNIC: RoCEv2 packets over a plain UDP socket, reached through the C library. */
@NullMarked
package io.vhca.physical.soft.udp;

import org.jspecify.annotations.NullMarked;
