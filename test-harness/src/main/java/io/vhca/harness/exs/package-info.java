/** Extended sockets over simulated bonds, all faults included. */
@NullMarked
package io.vhca.harness.exs;

import org.jspecify.annotations.NullMarked;
