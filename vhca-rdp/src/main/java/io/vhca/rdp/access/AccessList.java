package io.vhca.rdp.access;

import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.attribute.GroupPrincipal;
import java.nio.file.attribute.UserPrincipal;
import java.nio.file.attribute.UserPrincipalLookupService;
import java.nio.file.attribute.UserPrincipalNotFoundException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The users and groups that a file names, one a line: {@code user NAME} or {@code group NAME}, by name or number;
 * {@code #} begins a comment. A line that says something else lets nobody in.
 *
 * @param wrong a sentence for each line that cannot be taken
 */
public record AccessList(List<UserPrincipal> users, List<GroupPrincipal> groups, List<String> wrong) {
    private static final UserPrincipalLookupService NAMES = FileSystems.getDefault().getUserPrincipalLookupService();
    private static final Names<UserPrincipal> USERS = NAMES::lookupPrincipalByName;
    private static final Names<GroupPrincipal> GROUPS = NAMES::lookupPrincipalByGroupName;

    /** What this host calls its users, or its groups. */
    @FunctionalInterface
    private interface Names<P> {
        P find(String name) throws IOException;
    }

    public AccessList {
        users = List.copyOf(users);
        groups = List.copyOf(groups);
        wrong = List.copyOf(wrong);
    }

    /** What those lines say. */
    static AccessList of(final List<String> lines) throws IOException {
        final List<UserPrincipal> users = new ArrayList<>();
        final List<GroupPrincipal> groups = new ArrayList<>();
        final List<String> wrong = new ArrayList<>();
        for (int i = 0; i < lines.size(); i++) {
            final String text = lines.get(i).replaceFirst("#.*", "").strip();
            final String[] words = text.split("\\s+");
            final String where = "line " + (i + 1) + ", \"" + text + "\": ";
            if (text.isEmpty()) {
                continue;
            }
            if (words.length != 2 || !words[0].equals("user") && !words[0].equals("group")) {
                wrong.add(where + "it may be user NAME or group NAME");
                continue;
            }
            try {
                if (words[0].equals("user")) {
                    users.add(named(USERS, words[1]));
                } else {
                    groups.add(named(GROUPS, words[1]));
                }
            } catch (final UserPrincipalNotFoundException e) {
                wrong.add(where + "this host has no such " + words[0]);
            }
        }
        return new AccessList(users, groups, wrong);
    }

    /** Whether the user is named, or one of the groups that the process is in. */
    boolean has(final Credentials who) throws IOException {
        final UserPrincipal user = numbered(USERS, who.user());
        if (user != null && users.contains(user)) {
            return true;
        }
        for (final long number : who.groups()) {
            final GroupPrincipal group = numbered(GROUPS, number);
            if (group != null && groups.contains(group)) {
                return true;
            }
        }
        return false;
    }

    private static <P> P named(final Names<P> names, final String name) throws IOException {
        try {
            return names.find(name);
        } catch (final UserPrincipalNotFoundException e) {
            return names.find(signed(name));
        }
    }

    /** The JDK takes numbers from 2^31 on by their bits alone, as it keeps them. */
    private static String signed(final String number) {
        try {
            return Integer.toString(Integer.parseUnsignedInt(number));
        } catch (final NumberFormatException e) {
            return number;
        }
    }

    /** By a number that need not have a name; null where it is none. */
    private static <P> @Nullable P numbered(final Names<P> names, final long number) throws IOException {
        try {
            return named(names, Long.toString(number));
        } catch (final UserPrincipalNotFoundException e) {
            return null;
        }
    }
}
