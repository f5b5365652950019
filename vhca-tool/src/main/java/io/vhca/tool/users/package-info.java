/** Who holds a device. */
@NullMarked
package io.vhca.tool.users;

import org.jspecify.annotations.NullMarked;
