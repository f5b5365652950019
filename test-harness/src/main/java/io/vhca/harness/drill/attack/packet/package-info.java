/** Packets as somebody who means harm would write them: headers that are right, and contents that are not. */
@NullMarked
package io.vhca.harness.drill.attack.packet;

import org.jspecify.annotations.NullMarked;
