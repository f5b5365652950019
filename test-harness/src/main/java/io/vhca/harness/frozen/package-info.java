/**
 * Records between bonds as older versions have them, in code of its own: it does not follow the product. What stands
 * here is not changed any more; a new version gets a class of its own before it is released.
 */
@NullMarked
package io.vhca.harness.frozen;

import org.jspecify.annotations.NullMarked;
