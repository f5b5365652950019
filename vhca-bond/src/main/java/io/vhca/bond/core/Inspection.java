package io.vhca.bond.core;

/** Takes what parts of a bond are found to be, for people: a title, then names and values below it. */
public interface Inspection {
    /** What follows is about that. */
    void section(String title);

    /** One fact; its text is one line. */
    void value(String name, Object value);
}
