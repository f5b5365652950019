/** How the operator's view of a bond is told to people. */
@NullMarked
package io.vhca.harness.status;

import org.jspecify.annotations.NullMarked;
