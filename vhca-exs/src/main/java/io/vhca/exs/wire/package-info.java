/** Layouts of what two extended sockets say to each other. No logic. */
@NullMarked
package io.vhca.exs.wire;

import org.jspecify.annotations.NullMarked;
