/** Long drills: what the processes hold is looked at from time to time, and must not grow. */
@NullMarked
package io.vhca.harness.drill.soak;

import org.jspecify.annotations.NullMarked;
