package io.vhca.harness.tidy;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.MethodModel;
import java.lang.classfile.attribute.CodeAttribute;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Methods of the data path stay within the size up to which HotSpot inlines what is called often (FreqInlineSize, 325
 * bytes of bytecode): one byte more costs a call, and everything that the compiler knew about the caller.
 */
class HotMethodsTest {
    private static final int FREQ_INLINE_SIZE = 325;

    @ParameterizedTest
    @CsvSource({
        "queue/VirtualSendQueue, post",
        "queue/VirtualSendQueue, enqueueOne",
        "queue/VirtualSendQueue, postOne",
        "queue/VirtualSendQueue, postChain",
        "queue/VirtualSendQueue, postAny",
        "queue/VirtualSendQueue, give",
        "queue/SendIntake, takeReady",
        "queue/SendIntake, take",
        "queue/VirtualSendQueue, pump",
        "queue/VirtualRecvQueue, post",
        "queue/VirtualRecvQueue, pump",
        "verbs/BondCompletionQueue, poll",
        "verbs/BondCompletionQueue, pollMember",
        "verbs/BondCompletionQueue, translateAll",
        "verbs/ConnectedCompletions, translate",
        "verbs/ConnectedCompletions, translateSends",
        "datagram/DatagramSendQueue, post",
        "datagram/DatagramSendQueue, enqueue",
        "datagram/DatagramSendQueue, translate",
        "datagram/DatagramCompletions, translateSend",
        "datagram/DatagramCompletions, translateReceive",
    })
    void isSmallEnoughToBeInlined(final String type, final String method) throws IOException {
        final String resource = "/io/vhca/bond/" + type + ".class";
        final ClassModel model;
        try (InputStream in = Objects.requireNonNull(HotMethodsTest.class.getResourceAsStream(resource), resource)) {
            model = ClassFile.of().parse(in.readAllBytes());
        }
        final List<MethodModel> found = model.methods().stream()
                .filter(candidate -> candidate.methodName().equalsString(method))
                .toList();

        assertThat(found).as("%s.%s", type, method).isNotEmpty();
        assertThat(found).allSatisfy(candidate -> assertThat(candidate.code())
                .isPresent()
                .get()
                .isInstanceOfSatisfying(CodeAttribute.class, code -> assertThat(code.codeLength())
                        .isLessThanOrEqualTo(FREQ_INLINE_SIZE)));
    }
}
