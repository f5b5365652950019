/**
 * Records between bonds that have a key in common: who knows the key signs, who does not is refused. Pure; it reads no
 * file and keeps no state but that of the cipher.
 */
@NullMarked
package io.vhca.recovery.proof;

import org.jspecify.annotations.NullMarked;
