@NullMarked
package io.vhca.bond;

import org.jspecify.annotations.NullMarked;
