/** The {@code vhca} command line. */
@NullMarked
package io.vhca.harness.cli;

import org.jspecify.annotations.NullMarked;
