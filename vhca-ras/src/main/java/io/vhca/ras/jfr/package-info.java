/** What a bond tells the JVM's flight recorder. */
@NullMarked
package io.vhca.ras.jfr;

import org.jspecify.annotations.NullMarked;
