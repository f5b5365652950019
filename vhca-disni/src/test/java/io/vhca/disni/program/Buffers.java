package io.vhca.disni.program;

import com.ibm.disni.verbs.IbvRecvWR;
import com.ibm.disni.verbs.IbvSendWR;
import com.ibm.disni.verbs.IbvSge;
import java.util.LinkedList;

/** Work requests as DiSNI programs make them. */
final class Buffers {
    private Buffers() {}

    static LinkedList<IbvSendWR> send(
            final long wrId, final int opcode, final long address, final int lengthBytes, final int lkey) {
        final IbvSendWR wr = new IbvSendWR();
        wr.setWr_id(wrId);
        wr.setSg_list(one(address, lengthBytes, lkey));
        wr.setNum_sge(1);
        wr.setOpcode(opcode);
        wr.setSend_flags(IbvSendWR.IBV_SEND_SIGNALED);
        final LinkedList<IbvSendWR> list = new LinkedList<>();
        list.add(wr);
        return list;
    }

    static LinkedList<IbvRecvWR> receive(
            final long wrId, final long address, final int lengthBytes, final int lkey) {
        final IbvRecvWR wr = new IbvRecvWR();
        wr.setWr_id(wrId);
        wr.setSg_list(one(address, lengthBytes, lkey));
        wr.setNum_sge(1);
        final LinkedList<IbvRecvWR> list = new LinkedList<>();
        list.add(wr);
        return list;
    }

    private static LinkedList<IbvSge> one(final long address, final int lengthBytes, final int lkey) {
        final IbvSge sge = new IbvSge();
        sge.setAddr(address);
        sge.setLength(lengthBytes);
        sge.setLkey(lkey);
        final LinkedList<IbvSge> list = new LinkedList<>();
        list.add(sge);
        return list;
    }
}
