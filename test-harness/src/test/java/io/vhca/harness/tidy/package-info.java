/** The style gate: what the compiler cannot say about the sources. */
@NullMarked
package io.vhca.harness.tidy;

import org.jspecify.annotations.NullMarked;
