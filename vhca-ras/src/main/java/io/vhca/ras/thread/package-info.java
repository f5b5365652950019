/** Which threads are inside a bond, and for how long. */
@NullMarked
package io.vhca.ras.thread;

import org.jspecify.annotations.NullMarked;
