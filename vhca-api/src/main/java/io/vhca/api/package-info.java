@NullMarked
package io.vhca.api;

import org.jspecify.annotations.NullMarked;
