package io.vhca.tool.status;

import io.vhca.ras.status.BondStatus;
import io.vhca.ras.status.BondStatus.MemberRow;
import io.vhca.ras.status.BondStatus.QpRow;
import io.vhca.ras.status.StatusReader;
import io.vhca.tool.console.EnvironmentException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;

/** Waits for a member that is being removed to be gone. */
public final class MemberRemoval {
    private static final long LOOK_MS = 50;
    private static final int MOST_NAMED = 8;

    private MemberRemoval() {}

    /**
     * Looks at the bond's status until the member is gone from it, or the bond is closed.
     *
     * @param sinceMs the bond had taken the order then, in ms since 1970: what was written before says nothing
     * @return empty when it is gone, else what still holds it
     * @throws EnvironmentException when the process has ended without closing the bond
     */
    public static String await(final Path file, final String member, final long sinceMs, final long timeoutNs)
            throws InterruptedException {
        // In a part that is newer than the rest a member may seem to be gone.
        return await(StatusReader::readWhole, file, member, sinceMs, timeoutNs);
    }

    static String await(
            final BondStatuses.Reading reading, final Path file, final String member, final long sinceMs,
            final long timeoutNs)
            throws InterruptedException {
        final long beginNs = System.nanoTime();
        while (true) {
            final Look look = look(reading, file, member, sinceMs);
            if (look.isLast || System.nanoTime() - beginNs >= timeoutNs) {
                return look.holder;
            }
            Thread.sleep(LOOK_MS);
        }
    }

    /** @param isLast whether nothing else comes after it */
    private record Look(String holder, boolean isLast) {}

    private static Look look(
            final BondStatuses.Reading reading, final Path file, final String member, final long sinceMs) {
        final BondStatus status;
        try {
            status = reading.read(file);
        } catch (final NoSuchFileException e) {
            return new Look("", true);
        } catch (final StatusReader.BeingWrittenException e) {
            return new Look(String.valueOf(e.getMessage()), false);
        } catch (final IOException e) {
            throw new EnvironmentException(String.valueOf(e.getMessage()), e);
        }
        if (!status.isAlive()) {
            if (Files.notExists(file)) {
                return new Look("", true); // it was closed in order since it was read
            }
            throw new EnvironmentException(
                    "process " + status.pid() + " has ended without closing " + status.name());
        }
        final String holder = holder(status, member);
        final boolean isNews = status.publishedMs() > sinceMs;
        return new Look(holder, holder.isEmpty() || isNews && !isLeaving(status, member));
    }

    private static boolean isLeaving(final BondStatus status, final String member) {
        return status.members().stream().anyMatch(row -> row.name().equals(member) && row.leaving());
    }

    /** What keeps a member in a bond, for people; empty when it is none of its members. */
    static String holder(final BondStatus status, final String member) {
        final MemberRow row = status.members().stream()
                .filter(one -> one.name().equals(member))
                .findFirst()
                .orElse(null);
        if (row == null) {
            return "";
        }
        if (!row.leaving()) {
            return "it is not being removed: it was resumed, or the order is still on the way";
        }
        if (status.members().stream().noneMatch(other -> other.up() && !other.drained())) {
            return "no other member is up and in use";
        }
        final List<String> qps = status.queuePairs().stream()
                .filter(qp -> qp.member().equals(member))
                .map(QpRow::qpNum)
                .map(String::valueOf)
                .toList();
        if (qps.isEmpty()) {
            return "queue pairs or connections that are just being moved or made are on it (" + row.queuePairs()
                    + " queue pairs)";
        }
        return "on it " + (qps.size() == 1 ? "is queue pair " : "are queue pairs ")
                + String.join(", ", qps.subList(0, Math.min(MOST_NAMED, qps.size())))
                + (qps.size() > MOST_NAMED ? " and " + (qps.size() - MOST_NAMED) + " more" : "")
                + ", which find no other path, or have requests under way";
    }
}
