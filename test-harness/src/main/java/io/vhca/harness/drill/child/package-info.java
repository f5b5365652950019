/** What runs in the processes of a drill: the two ends of the file, and the traffic beside it. */
@NullMarked
package io.vhca.harness.drill.child;

import org.jspecify.annotations.NullMarked;
