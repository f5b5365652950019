@NullMarked
package io.vhca.recovery;

import org.jspecify.annotations.NullMarked;
