package io.vhca.bond;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PauseNewsTest {
    private static final long LONG_NS = 10 * PauseNews.SHORT_NS;

    private final PauseNews news = new PauseNews();

    @Test
    void newsCutsALongPause() {
        assertThat(news.begin(LONG_NS)).isEqualTo(LONG_NS);
        assertThat(news.come()).isTrue();
    }

    @Test
    void aShortPauseIsNotCut() {
        assertThat(news.begin(PauseNews.SHORT_NS)).isEqualTo(PauseNews.SHORT_NS);
        assertThat(news.come()).isFalse();
    }

    @Test
    void newsThatTheLastTurnMayNotHaveSeenMakesThePauseShort() {
        news.seen();
        assertThat(news.come()).as("nobody pauses").isFalse();
        assertThat(news.begin(LONG_NS)).isEqualTo(PauseNews.SHORT_NS);
        news.end();
        news.seen();
        assertThat(news.begin(LONG_NS)).isEqualTo(LONG_NS);
    }

    @Test
    void aPauseThatHasEndedIsNotCut() {
        news.begin(LONG_NS);
        news.end();
        assertThat(news.come()).isFalse();
    }

    @Test
    void helpIsToldOnce() {
        assertThat(news.takeHelp()).isFalse();
        news.helped();
        assertThat(news.takeHelp()).isTrue();
        assertThat(news.takeHelp()).isFalse();
    }

    @Test
    void itIsKnownWhetherTheThreadPauses() {
        assertThat(news.isPaused()).isFalse();
        news.begin(PauseNews.SHORT_NS);
        assertThat(news.isPaused()).isTrue();
        news.end();
        assertThat(news.isPaused()).isFalse();
    }
}
