/** How the operator's view of a bond is told to people. */
@NullMarked
package io.vhca.tool.status;

import org.jspecify.annotations.NullMarked;

