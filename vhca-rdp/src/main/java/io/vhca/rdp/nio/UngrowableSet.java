package io.vhca.rdp.nio;

import java.util.AbstractSet;
import java.util.Iterator;
import java.util.Set;

/** A set that its readers may take from and not add to, as the selected keys of a selector are. */
final class UngrowableSet<E> extends AbstractSet<E> {
    private final Set<E> elements;

    UngrowableSet(final Set<E> elements) {
        this.elements = elements;
    }

    @Override
    public Iterator<E> iterator() {
        return elements.iterator();
    }

    @Override
    public int size() {
        return elements.size();
    }

    @Override
    public boolean contains(final Object element) {
        return elements.contains(element);
    }

    @Override
    public boolean remove(final Object element) {
        return elements.remove(element);
    }

    @Override
    public void clear() {
        elements.clear();
    }
}
