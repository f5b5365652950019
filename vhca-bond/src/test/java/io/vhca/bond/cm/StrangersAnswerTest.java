package io.vhca.bond.cm;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.cm.CmEventType;
import io.vhca.bond.config.AuthKeyFile;
import io.vhca.bond.config.BondConfig;
import io.vhca.bond.config.BondOption;
import io.vhca.bond.fake.RawPeer;
import io.vhca.bond.fake.Records;
import io.vhca.bond.fake.TwoBonds;
import io.vhca.recovery.proof.Seal;
import io.vhca.recovery.wire.RecordType;
import io.vhca.recovery.wire.SessionId;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A bond that has started anew is asked for a session of its last life while the key is changed for another. */
class StrangersAnswerTest {
    private static final int TRIES = 10;
    private static final InetAddress ASKER = InetAddress.ofLiteral("10.1.0.99");
    private static final InetAddress ASKED = InetAddress.ofLiteral("10.1.0.2");
    private final SplittableRandom random = new SplittableRandom(11);

    @TempDir
    private Path directory;

    /** The file of a host where the key was rotated that often. */
    private Path file(final int rotations) {
        return directory.resolve("key" + rotations);
    }

    private static UnaryOperator<BondConfig.Builder> with(final Path file) {
        return config -> config.set(BondOption.AUTH_KEY_FILE, Optional.of(file.toString()));
    }

    private static Seal.Question question(final TwoBonds bonds, final int qpNum) {
        final byte[] plain = Records.session(RecordType.RECOVER, new SessionId(5, 6), 77, qpNum, 1);
        final List<Seal.Question> asked = new ArrayList<>();
        bonds.a.locked(() -> asked.add(bonds.a.verbs().core().proofs().ofSession(plain, ASKER, ASKED, false)));
        return asked.getFirst();
    }

    /** Hosts get the new file in any order. */
    @ParameterizedTest
    @CsvSource({"0, 0", "0, 1", "1, 0", "1, 1", "1, 2", "2, 1"})
    void whoAsksLearnsItThoughOneOfTheTwoHasNotTheNewFileYet(final int ofAsker, final int ofAsked) throws Exception {
        AuthKeyFile.create(file(0), random);
        for (int i = 0; i < 2; i++) {
            Files.copy(file(i), file(i + 1), StandardCopyOption.COPY_ATTRIBUTES);
            AuthKeyFile.rotate(file(i + 1), random);
        }
        try (TwoBonds bonds = new TwoBonds(with(file(ofAsker)), with(file(ofAsked)));
                RawPeer raw = new RawPeer(bonds, ASKER.getHostAddress())) {
            final int unknown = bonds.connect().passive().qp().qpNum() + 100;
            boolean isHeard = false;
            for (int i = 0; i < TRIES && !isHeard; i++) {
                final Seal.Question question = question(bonds, unknown);
                raw.ask(ASKED.getHostAddress(), bonds.b.verbs().core().config().basePort(), question.data());
                bonds.settle();
                final byte[] answer = raw.next(CmEventType.REJECTED).privateData();
                isHeard = Objects.requireNonNull(question.seal()).open(answer) != null;
            }
            assertThat(isHeard).isTrue();
        }
    }
}
