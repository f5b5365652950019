/** What the JDK does not offer of Unix domain sockets: whose process is at the other end, and memory sent to it. */
@NullMarked
package io.vhca.rdp.unix;

import org.jspecify.annotations.NullMarked;
