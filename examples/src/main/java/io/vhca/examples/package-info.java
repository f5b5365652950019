@NullMarked
package io.vhca.examples;

import org.jspecify.annotations.NullMarked;
