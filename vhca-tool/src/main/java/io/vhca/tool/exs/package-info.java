/** {@code vhca exs}: what extended sockets can do on this machine's devices. */
@NullMarked
package io.vhca.tool.exs;

import org.jspecify.annotations.NullMarked;
