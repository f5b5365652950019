/** The protocol of one connected socket: told what arrived and completed, it says what to post. No I/O, no thread. */
@NullMarked
package io.vhca.exs.engine;

import org.jspecify.annotations.NullMarked;
