/** The class of DiSNI 2.x that is bound to its native library, on vHCA's devices instead. */
@NullMarked
package com.ibm.disni.verbs.impl;

import org.jspecify.annotations.NullMarked;
