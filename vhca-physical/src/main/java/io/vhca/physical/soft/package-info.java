/** The embedded soft RNIC: RoCEv2 in user space, over UDP or a simulated fabric. */
@NullMarked
package io.vhca.physical.soft;

import org.jspecify.annotations.NullMarked;
