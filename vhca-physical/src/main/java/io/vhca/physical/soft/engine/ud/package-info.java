/** Unreliable datagrams and the address handles that they are sent to (IB spec vol. 1, 9.8.3). */
@NullMarked
package io.vhca.physical.soft.engine.ud;

import org.jspecify.annotations.NullMarked;
