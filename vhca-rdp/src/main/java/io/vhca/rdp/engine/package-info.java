/** The protocol, without input, output, thread or clock: ports, flows, credits, stalls, nodes. */
@NullMarked
package io.vhca.rdp.engine;

import org.jspecify.annotations.NullMarked;
