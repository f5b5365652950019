/** Memory that a device may read or write: the driver's own, and what applications send from. */
@NullMarked
package io.vhca.rdp.memory;

import org.jspecify.annotations.NullMarked;
