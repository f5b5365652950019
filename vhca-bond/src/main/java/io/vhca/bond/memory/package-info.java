/** What native memory, registered memory and objects there are of a bond, whose they are, and where they were made. */
@NullMarked
package io.vhca.bond.memory;

import org.jspecify.annotations.NullMarked;
