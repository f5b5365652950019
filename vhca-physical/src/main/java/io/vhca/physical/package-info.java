@NullMarked
package io.vhca.physical;

import org.jspecify.annotations.NullMarked;
