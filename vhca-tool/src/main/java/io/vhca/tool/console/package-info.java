/** What all commands share: how they print, read options and fail. */
@NullMarked
package io.vhca.tool.console;

import org.jspecify.annotations.NullMarked;

