/**
 * DiSNI programs on vHCA's devices: the two classes of DiSNI that are bound to a native library, over vhca-api instead.
 * Everything else of DiSNI is Java and stays the user's own jar.
 */
@NullMarked
package io.vhca.disni;

import org.jspecify.annotations.NullMarked;
