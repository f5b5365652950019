/** A driver that all processes of a host share, and their end of it: calls over rings in shared memory. */
@NullMarked
package io.vhca.rdp.shared;

import org.jspecify.annotations.NullMarked;
