/** C functions for control calls, through FFM, and those of the C library that all devices need. */
@NullMarked
package io.vhca.physical.ffm;

import org.jspecify.annotations.NullMarked;
