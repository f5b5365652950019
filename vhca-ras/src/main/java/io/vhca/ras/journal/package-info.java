/** The journal of a bond in a Chronicle Queue: written by a thread of its own, read at any time. */
@NullMarked
package io.vhca.ras.journal;

import org.jspecify.annotations.NullMarked;
