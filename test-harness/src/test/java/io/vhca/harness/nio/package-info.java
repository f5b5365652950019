/** Programs of others that use datagram channels, unchanged over reliable datagrams. */
@NullMarked
package io.vhca.harness.nio;

import org.jspecify.annotations.NullMarked;
