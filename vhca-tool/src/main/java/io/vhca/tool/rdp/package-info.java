/** What {@code vhca rdp} runs: pings and load over reliable datagram sockets. */
@NullMarked
package io.vhca.tool.rdp;

import org.jspecify.annotations.NullMarked;
