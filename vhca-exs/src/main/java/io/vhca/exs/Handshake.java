package io.vhca.exs;

import io.vhca.api.Errno;
import io.vhca.api.QpCapabilities;
import io.vhca.api.QpInitAttributes;
import io.vhca.api.QueuePair;
import io.vhca.api.ServiceClass;
import io.vhca.api.VerbsException;
import io.vhca.api.cm.CmEvent;
import io.vhca.api.cm.CmId;
import io.vhca.api.cm.CmPortSpace;
import io.vhca.api.cm.ConnectParameters;
import io.vhca.exs.wire.Greeting;
import io.vhca.exs.wire.GreetingDescriptor;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/** A socket's dealings with the connection manager, from bind to disconnect. The driver's lock. */
final class Handshake {
    private static final int TIMEOUT_MS = 5_000;
    /** The REJ reason where nobody listens (IBA 12.6.7.2). */
    private static final int INVALID_SERVICE_ID = 8;

    /** A call that waits: where its event goes. */
    record Pending(EventKind kind, ExsSocket socket, ExsQueue queue, @Nullable Object cookie) {
        void done(final int errno, final @Nullable ExsSocket accepted) {
            queue.post(kind, socket, cookie, errno, accepted);
        }
    }

    /** What the passive end of a request is made of. */
    record Passive(Backlog backlog, CmId id, Greeting greeting) {}

    private final Driver driver;
    private final ExsSocket socket;
    private ExsOptions options;
    private @Nullable InetSocketAddress bound;
    private @Nullable CmId id;
    private @Nullable Connection connection;
    private @Nullable Pending connect;
    /** Of a listener. */
    private @Nullable Backlog backlog;
    /** Of the passive end of a request: where it waits for an accept. */
    private @Nullable Backlog waitsAt;
    private boolean isAnswering; // its peer has not confirmed the answer
    private int ended; // what waited for the connection manager ended with that errno, and nothing waits any more
    private String failure = "";

    Handshake(final Driver driver, final ExsSocket socket, final ExsOptions options) {
        this.driver = driver;
        this.socket = socket;
        this.options = options;
    }

    ExsOptions options() {
        return options;
    }

    @Nullable Connection connection() {
        return connection;
    }

    /** True until both ends know that they are connected: nothing may be sent yet. */
    boolean isUnderWay() {
        return connect != null || isAnswering;
    }

    String failure() {
        return failure;
    }

    boolean isListening() {
        return backlog != null;
    }

    /** True where an accept would end at once. */
    boolean isAcceptable() {
        return backlog != null && (ended != 0 || backlog.hasEstablished());
    }

    @Nullable InetSocketAddress localAddress() {
        return id == null ? bound : id.localAddress();
    }

    @Nullable InetSocketAddress peerAddress() {
        return id == null ? null : id.peerAddress();
    }

    int value(final ExsSetting setting) {
        return options.value(setting, id == null ? options.service() : id.serviceClass());
    }

    void set(final ExsSetting setting, final int value) {
        mustBeNew("fcntl");
        options = options.with(setting, value).checked("fcntl", socket.toString());
    }

    private void mustBeNew(final String call) {
        if (id != null) {
            throw new VerbsException(
                    call, Errno.EISCONN, socket.toString(), "it is connected, or listens, already; take a new socket");
        }
    }

    /** Nothing that waits for the connection manager would ever end on a socket that was closed or lost its device. */
    private void mustGoOn(final String call) {
        if (ended == Errno.ECANCELED) {
            throw new VerbsException(call, Errno.EINVAL, socket.toString(), "it was closed; take a new socket");
        }
        if (ended != 0) {
            throw new VerbsException(call, ended, socket.toString(), failure);
        }
    }

    void bind(final InetSocketAddress address) {
        mustGoOn("bind");
        mustBeNew("bind");
        bound = address;
    }

    void listen(final int most) {
        mustGoOn("listen");
        mustBeNew("listen");
        final InetSocketAddress address = bound;
        if (address == null || most < 1) {
            throw new VerbsException(
                    "listen", Errno.EINVAL, socket.toString(), "bind it first, and give a backlog of 1 at least");
        }
        final CmId created = driver.events().createId(CmPortSpace.TCP, socket);
        try {
            created.bindAddr(address);
            created.listen(most);
        } catch (final VerbsException e) {
            created.close();
            throw e;
        }
        own(created);
        backlog = new Backlog(most, socket::onReady);
    }

    private void own(final CmId created) {
        id = created;
        driver.own(created, socket);
    }

    int accept(final ExsQueue queue, final @Nullable Object cookie) {
        mustGoOn("accept");
        final Backlog listening = backlog;
        if (listening == null) {
            throw new VerbsException("accept", Errno.EINVAL, socket.toString(), "it does not listen");
        }
        if (!queue.hasRoom("accept")) {
            return -Errno.ENOBUFS;
        }
        queue.reserve();
        listening.accept(new Pending(EventKind.ACCEPT, socket, queue, cookie));
        return 0;
    }

    boolean cancelAccepts() {
        return backlog != null && backlog.endAccepts(Errno.ECANCELED);
    }

    int connect(final InetSocketAddress peer, final ExsQueue queue, final @Nullable Object cookie) {
        mustGoOn("connect");
        mustBeNew("connect");
        if (!queue.hasRoom("connect")) {
            return -Errno.ENOBUFS;
        }
        queue.reserve();
        connect = new Pending(EventKind.CONNECT, socket, queue, cookie);
        try {
            final CmId created = driver.events().createId(CmPortSpace.TCP, socket);
            own(created);
            ask(created);
            created.resolveAddr(bound, peer, TIMEOUT_MS);
        } catch (final VerbsException e) {
            failed(e.errno(), String.valueOf(e.getMessage()));
        }
        return 0;
    }

    void onEvent(final CmEvent event) {
        try {
            switch (event.type()) {
                case ADDR_RESOLVED -> event.id().resolveRoute(TIMEOUT_MS);
                case ROUTE_RESOLVED -> request(event.id());
                case CONNECT_REQUEST -> onRequest(event);
                case ESTABLISHED -> established(event);
                case REJECTED -> rejected(event);
                case ADDR_ERROR, ROUTE_ERROR, UNREACHABLE ->
                    failed(Errno.EHOSTUNREACH, "no answer from there (" + event.type() + "); is it up?");
                case CONNECT_ERROR ->
                    failed(Errno.ECONNREFUSED, "the connection manager says " + event.status());
                case DISCONNECTED -> over(Errno.ECONNRESET, "the peer disconnected");
                case DEVICE_REMOVAL -> removed("the device went away");
                default -> {
                    // ADDR_CHANGE and TIMEWAIT_EXIT change nothing here
                }
            }
        } catch (final VerbsException e) {
            failed(e.errno(), String.valueOf(e.getMessage()));
        }
    }

    /** What this end wants of the fabric; where it wants nothing, the peer's wish counts. */
    private void ask(final CmId of) {
        if (!options.service().equals(ServiceClass.NONE)) {
            of.serviceClass(options.service());
        }
    }

    private static ConnectParameters parameters(final Greeting greeting) {
        return ConnectParameters.of(GreetingDescriptor.encode(greeting));
    }

    private Connection open(final CmId owner) {
        final Connection made = driver.connect(socket, options.sizes());
        connection = made;
        final QpCapabilities capabilities = new QpCapabilities(
                made.sizes().workRequests(), made.sizes().receiveSlots(), 1, 1, 0);
        final QpInitAttributes attributes =
                QpInitAttributes.rc(driver.cqOf(made), driver.cqOf(made), capabilities);
        final QueuePair qp;
        boolean isDone = false;
        try {
            qp = owner.createQp(driver.pd(), attributes);
            isDone = true;
        } finally {
            if (!isDone) {
                connection = null;
                made.release();
                driver.disconnected(made);
            }
        }
        made.open(qp);
        return made;
    }

    private void request(final CmId own) {
        final Connection made = open(own);
        own.connect(parameters(made.sizes().greeting(socket.type().code())));
    }

    /** A peer asks a listener: whom nobody can talk to is refused at once, and told what would be understood. */
    private void onRequest(final CmEvent event) {
        final Greeting greeting = GreetingDescriptor.decode(event.privateData());
        final boolean isFit = greeting != null
                && greeting.wrong().isEmpty()
                && misfit(greeting).isEmpty();
        final Backlog listening = backlog;
        if (greeting == null || !isFit || listening == null || listening.isFull()) {
            refuse(event.id());
            return;
        }
        new ExsSocket(driver, socket.type(), options).adopt(new Passive(listening, event.id(), greeting));
    }

    /** Why a socket that says this is none that this one can talk to; empty where it is. */
    private String misfit(final Greeting peer) {
        if (!peer.isSpoken()) {
            return "the peer speaks versions " + peer.oldest() + " to " + peer.newest() + ", here it is "
                    + GreetingDescriptor.VERSION;
        }
        final SocketType type = SocketType.fromCode(peer.type());
        if (type == socket.type()) {
            return "";
        }
        return "the socket there is " + (type == null ? "of type " + peer.type() + ", which is unknown here" : type);
    }

    private void refuse(final CmId asker) {
        try {
            asker.reject(GreetingDescriptor.encode(options.sizes().greeting(socket.type().code())));
        } catch (final VerbsException e) {
            // Who asked is gone, or the device is.
            assert e.errno() > 0;
        }
        asker.close();
    }

    /** Becomes the passive end of a request, or is closed where it cannot. */
    void adopt(final Passive passive) {
        final CmId child = passive.id;
        own(child);
        waitsAt = passive.backlog;
        isAnswering = true;
        passive.backlog.answered(this);
        try {
            final Connection made = open(child);
            made.begin(socket.type() == SocketType.SEQPACKET, passive.greeting, driver.tap(), socket.sink());
            ask(child);
            child.accept(parameters(made.sizes().greeting(socket.type().code())));
        } catch (final VerbsException e) {
            drop(e.errno(), String.valueOf(e.getMessage()));
        }
    }

    /** An accept has it. */
    void accepted(final Pending accept) {
        waitsAt = null;
        accept.done(0, socket);
    }

    /** No accept will have it. */
    void closeSocket() {
        socket.close();
    }

    /** Nothing comes of it, and no accept has it. */
    private void drop(final int errno, final String sentence) {
        leave();
        socket.end(errno, sentence);
        socket.close();
    }

    private void leave() {
        final Backlog left = waitsAt;
        waitsAt = null;
        isAnswering = false;
        if (left != null) {
            left.remove(this);
        }
    }

    private void established(final CmEvent event) {
        if (isAnswering) {
            confirmed();
            socket.progress();
            return;
        }
        final Greeting peer = GreetingDescriptor.decode(event.privateData());
        final Connection made = connection;
        if (made == null || connect == null) {
            return;
        }
        if (peer == null || !peer.wrong().isEmpty()) {
            failed(Errno.EPROTONOSUPPORT, peer == null ? "the peer is no extended socket" : peer.wrong());
            return;
        }
        final String misfit = misfit(peer);
        if (!misfit.isEmpty()) {
            failed(Errno.EPROTONOSUPPORT, misfit);
            return;
        }
        made.begin(socket.type() == SocketType.SEQPACKET, peer, driver.tap(), socket.sink());
        connected(0);
        socket.progress();
    }

    /** The peer knows that it is connected. */
    private void confirmed() {
        isAnswering = false;
        if (waitsAt != null) {
            waitsAt.established(this);
        }
    }

    private void connected(final int errno) {
        final Pending done = connect;
        if (done != null) {
            connect = null;
            done.done(errno, null);
        }
    }

    private void rejected(final CmEvent event) {
        final Greeting peer = GreetingDescriptor.decode(event.privateData());
        if (peer == null) {
            failed(Errno.ECONNREFUSED, event.status() == INVALID_SERVICE_ID
                    ? "nobody listens there"
                    : "what is there refuses: it is no extended socket, or its bond refuses this one (keys, version); "
                            + "see `vhca errors`");
            return;
        }
        final String misfit = misfit(peer);
        if (misfit.isEmpty()) {
            failed(Errno.ECONNREFUSED, "the listener's backlog is full");
        } else {
            failed(Errno.EPROTONOSUPPORT, misfit);
        }
    }

    /** There will be no connection, or there is none any more. */
    private void failed(final int errno, final String sentence) {
        if (!isDropped(errno, sentence)) {
            over(errno, sentence);
            connected(errno);
        }
    }

    private void removed(final String sentence) {
        if (!isDropped(Errno.ENODEV, sentence)) {
            over(Errno.ENODEV, sentence);
            cancel(Errno.ENODEV);
        }
    }

    /** Nobody drives the socket any more. */
    void abandon(final String sentence) {
        if (!isDropped(Errno.EIO, sentence)) {
            socket.end(Errno.EIO, sentence);
            cancel(Errno.EIO);
        }
    }

    /** Keeps the first reason, and drops what no accept has yet; false for any other socket. */
    private boolean isDropped(final int errno, final String sentence) {
        if (failure.isEmpty()) {
            failure = sentence;
        }
        if (waitsAt == null) {
            return false;
        }
        drop(errno, sentence);
        return true;
    }

    private void over(final int errno, final String sentence) {
        driver.pollCompletions(); // what came before the end was heard of
        socket.end(errno, sentence);
    }

    /**
     * The connection is over. One that no accept has waits on if a receive would find something, be it the end alone,
     * confirmed or not: its peer has sent that. Any other one would keep its place for nothing.
     */
    void lost(final Connection over) {
        if (waitsAt == null) {
            return;
        }
        if (!over.engine().mayReceive() || !over.engine().isReadable()) {
            socket.close();
        } else if (isAnswering) {
            confirmed();
        }
    }

    /** Destroys the queue pair; completions of it that nobody took are gone. */
    void destroy(final Connection ended) {
        final CmId own = id;
        ended.closed();
        driver.disconnected(ended);
        if (own != null) {
            try {
                own.disconnect();
            } catch (final VerbsException e) {
                failure = failure.isEmpty() ? String.valueOf(e.getMessage()) : failure;
            }
            own.destroyQp();
        }
    }

    /** Ends what waits for the connection manager, for good. */
    void cancel(final int errno) {
        ended = errno;
        connected(errno);
        leave();
        if (backlog != null) {
            backlog.end(errno);
            socket.onReady();
        }
    }

    void close() {
        final CmId own = id;
        if (own != null) {
            driver.disown(own);
            own.close();
        }
    }
}
