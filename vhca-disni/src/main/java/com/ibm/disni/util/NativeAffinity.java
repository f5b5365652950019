package com.ibm.disni.util;

import io.vhca.disni.ThreadAffinity;

/**
 * DiSNI's class of this name, of 1.x and 2.x, without a native library: which processors the calling thread may run
 * on, a bit each.
 */
public class NativeAffinity {
    /**
     * Any mask above zero is set; others, and one without a processor of this machine, are passed over, as DiSNI does:
     * programs name processors that a small machine lacks, in threads that must go on.
     */
    public static void setAffinity(final long affinity) {
        if (affinity > 0) {
            ThreadAffinity.set(affinity);
        }
    }

    public static long getAffinity() {
        return ThreadAffinity.get();
    }
}
