/**
 * What two bonds say to each other in the private data of the connection manager: the records, their layouts and the
 * codes in them. Pure; knows nothing of a recovery's course.
 */
@NullMarked
package io.vhca.recovery.wire;

import org.jspecify.annotations.NullMarked;
