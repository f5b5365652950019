/** Queue pairs for datagrams: where each lives, where its peers live, and who tells whom. */
@NullMarked
package io.vhca.bond.datagram;

import org.jspecify.annotations.NullMarked;
