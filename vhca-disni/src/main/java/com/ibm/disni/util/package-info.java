/** The one class of DiSNI's package that needs a native library, without it. */
@NullMarked
package com.ibm.disni.util;

import org.jspecify.annotations.NullMarked;
