/** Errors that bonds tell of: their codes, and how they are kept. */
@NullMarked
package io.vhca.ras.error;

import org.jspecify.annotations.NullMarked;
