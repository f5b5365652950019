@NullMarked
package io.vhca.harness;

import org.jspecify.annotations.NullMarked;
