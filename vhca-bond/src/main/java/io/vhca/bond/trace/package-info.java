/** What a bond can tell of each step that it takes, how much of it is asked for, and who takes it. */
@NullMarked
package io.vhca.bond.trace;

import org.jspecify.annotations.NullMarked;
