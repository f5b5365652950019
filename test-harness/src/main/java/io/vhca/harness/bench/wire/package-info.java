/** What carries the benchmarks' messages between two processes: plain datagrams, queue pairs, and sockets over them. */
@NullMarked
package io.vhca.harness.bench.wire;

import org.jspecify.annotations.NullMarked;
