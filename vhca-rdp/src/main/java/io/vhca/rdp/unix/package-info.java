/**
 * What the JDK does not offer of other processes: whose one is at the other end of a Unix domain socket, memory sent to
 * it, and how one is started that runs as this one.
 */
@NullMarked
package io.vhca.rdp.unix;

import org.jspecify.annotations.NullMarked;
