package io.vhca.harness.lab;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** How a copy between the machines is judged. */
class LabCopyTest {
    private static final String SENT = "code 0\nmodules: 50 bytes\ntook 9 s\nsent abc\n";
    private static final String RECEIVED = "code 0\ncuts two cuts, at 13 and 25 of 50 bytes\nthere abc\n";

    @Test
    void aCopyThatIsThereAsItWasSentIsRight() {
        assertThat(LabCopy.wrong(SENT, RECEIVED)).isEmpty();
    }

    @Test
    void anEndThatFailedIsSeen() {
        assertThat(LabCopy.wrong(SENT.replace("code 0", "code 1"), RECEIVED)).isEqualTo("an end did not end well");
        assertThat(LabCopy.wrong(SENT, RECEIVED.replace("code 0", "code 143"))).isEqualTo("an end did not end well");
        assertThat(LabCopy.wrong("", "")).isEqualTo("an end did not end well");
    }

    @Test
    void anotherContentIsSeen() {
        assertThat(LabCopy.wrong(SENT, RECEIVED.replace("there abc", "there abd")))
                .isEqualTo("what is there is not what was sent");
        assertThat(LabCopy.wrong(SENT.replace("sent abc", ""), RECEIVED.replace("there abc", "")))
                .isEqualTo("what is there is not what was sent");
    }

    @Test
    void aCutThatNothingCrossedProvesNothing() {
        assertThat(LabCopy.wrong(SENT, RECEIVED.replace("two cuts, at 13 and 25", "one cut, at 13"))).isEmpty();
        assertThat(LabCopy.wrong(SENT, RECEIVED.replace("two cuts, at 13 and 25", "no cut")))
                .isEqualTo("it was over before the first cut");
        assertThat(LabCopy.wrong(SENT, RECEIVED.replace("two cuts, at 13", "no cut, it failed")))
                .isEqualTo("a link could not be cut");
    }
}
