package com.ibm.disni.util;

import io.vhca.disni.ThreadAffinity;

/**
 * DiSNI's class of this name, of 1.x and 2.x, without a native library: which processors the calling thread may run
 * on, a bit each.
 */
public class NativeAffinity {
    /** Any mask above zero is set; others are passed over, as DiSNI does. */
    public static void setAffinity(final long affinity) {
        if (affinity > 0) {
            ThreadAffinity.set(affinity);
        }
    }

    public static long getAffinity() {
        return ThreadAffinity.get();
    }
}
