/** The last packets of a soft device, in a file that is there when its process is not. */
@NullMarked
package io.vhca.physical.soft.capture;

import org.jspecify.annotations.NullMarked;
