/** The commands that users and operators run; each is one class and one row in {@link io.vhca.tool.Vhca}. */
@NullMarked
package io.vhca.tool.cli;

import org.jspecify.annotations.NullMarked;

