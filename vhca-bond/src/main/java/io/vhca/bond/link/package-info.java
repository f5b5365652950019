/**
 * Physical connections to the bonds of other hosts: paths, peers, listeners on members, and whose turn it is to
 * connect.
 */
@NullMarked
package io.vhca.bond.link;

import org.jspecify.annotations.NullMarked;
