/**
 * The operator's view of a bond: a memory-mapped file that other processes read, and a socket through which they may
 * tell it what to do.
 */
@NullMarked
package io.vhca.ras.status;

import org.jspecify.annotations.NullMarked;
