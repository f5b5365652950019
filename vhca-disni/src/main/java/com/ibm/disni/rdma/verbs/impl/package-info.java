/** The class of DiSNI 1.x that is bound to its native library, on vHCA's devices instead. */
@NullMarked
package com.ibm.disni.rdma.verbs.impl;

import org.jspecify.annotations.NullMarked;
