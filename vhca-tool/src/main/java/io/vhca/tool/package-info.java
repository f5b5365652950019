/** The {@code vhca} command, with what users and operators run. */
@NullMarked
package io.vhca.tool;

import org.jspecify.annotations.NullMarked;
