/** All that a bond is, with its native memory, in one file: who writes it, sends it, and takes it apart. */
@NullMarked
package io.vhca.ras.dump;

import org.jspecify.annotations.NullMarked;
