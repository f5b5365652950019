/** What runs in the processes of an attack drill: the two ends that are attacked, and who attacks. */
@NullMarked
package io.vhca.harness.drill.attack.child;

import org.jspecify.annotations.NullMarked;
