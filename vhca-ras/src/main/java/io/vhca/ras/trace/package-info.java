/** What a bond does, step by step, in a file that is there after a crash; and who reads it. */
@NullMarked
package io.vhca.ras.trace;

import org.jspecify.annotations.NullMarked;
