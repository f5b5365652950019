/** {@code vhca guard}: nobody keeps a device from being removed for longer than the configuration allows. */
@NullMarked
package io.vhca.tool.guard;

import org.jspecify.annotations.NullMarked;
