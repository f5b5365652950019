# What a job in a lab machine can use. ID is this machine, 1 or 2; PEER the other.

# address MACHINE LINK: the IP address of a machine on link 0 or 1
address() { echo "10.77.$2.$1"; }

# Asks the host and waits for its answer, "ok" or a reason.
_ask() {
    local answer
    printf '\001%s %s\n' "$LAB_MARK" "$*" >&4
    read -r answer <&3 || answer="the host is gone"
    [ "$answer" = ok ] || { echo "$*: $answer" >&2; return 1; }
}

# barrier NAME: waits until every job of the run has come to it; fails when one ended before
barrier() { _ask barrier "$1"; }

# cut_link KIND MACHINE LINK, heal_link KIND MACHINE LINK: `vhca lab drill --help` lists the kinds
cut_link() { _ask cut "$@"; }
heal_link() { _ask heal "$@"; }
# renew_link KIND MACHINE LINK: heals too, and gives an interface that was down a new rxe device
renew_link() { _ask renew "$@"; }

# listening PORT [SECONDS]: waits until something here listens on the port, of TCP or of the RDMA connection manager
listening() {
    local hex end=$((SECONDS + ${2:-30}))
    hex=$(printf ':%04X' "$1")
    until grep -qhE "^ *[0-9]+: [0-9A-F]+$hex [0-9A-F:]+ 0A" /proc/net/tcp /proc/net/tcp6 \
        || rdma resource show cm_id | grep -q "state LISTEN .*src-addr [^ ]*:$1 "; do
        [ $SECONDS -lt $end ] || { echo "nobody listens on port $1" >&2; return 1; }
        sleep 0.05
    done
}

# clock: prints CLOCK_MONOTONIC in ns, which is nanoTime of a JVM here
clock() {
    local word at ns
    while read -r word at ns _; do
        [ "$word" = now ] && { echo "$ns"; return; }
    done < /proc/timer_list
}

# ready_to_lose: starts the tc that lose uses: to start one takes a busy machine a tenth of a second and more, and the moment
# at which packets are lost is to be known
ready_to_lose() {
    coproc TC { exec tc -force -batch - 2>&1; }
}

# lose LINK everything|nothing: what the machine sends over the link from now on; the shell was made ready before
lose() {
    local answer qdisc=none
    case $2 in
        everything) echo "qdisc replace dev eth$1 root netem loss 100%" ;;
        nothing) echo "qdisc del dev eth$1 root" ;;
    esac >&"${TC[1]}"
    echo "qdisc show dev eth$1" >&"${TC[1]}"
    until [ "$qdisc" != none ]; do
        read -r answer <&"${TC[0]}" || { echo "tc has ended"; return 1; }
        case $answer in
            "qdisc netem "*" root "*) qdisc=everything ;;
            "qdisc "*" root "*) qdisc=nothing ;;
            "qdisc "*) ;; # of one of its queues
            *) echo "$answer" ;;
        esac
    done
    [ "$qdisc" = "$2" ]
}

# add_device LINK: makes the rxe device again, once the old one is really gone: the kernel waits up to 50 s for each
# queue pair whose packets a network card still holds, and a starved machine takes as many times longer
add_device() {
    local end=$((SECONDS + 300))
    while [ -e "/sys/class/infiniband/rxe$1" ]; do
        [ $SECONDS -lt $end ] || { echo "rxe$1 is not gone five minutes after 'rdma link del': its users keep it"; return 1; }
        sleep 0.05
    done
    rdma link add "rxe$1" type rxe netdev "eth$1"
}

# revive_link LINK: an interface that was down is up, with a new rxe device where it has one: the manager of the old one
# may have sent something again meanwhile, and is dumb then
revive_link() {
    ip link show "eth$1" | grep -q '[<,]UP[,>]' && return
    ip link set "eth$1" up || return 1
    [ -e "/sys/class/infiniband/rxe$1" ] || return 0
    rdma link del "rxe$1" &
    add_device "$1"
}

# mend_links KIND0 KIND1: links are up, nothing is lost. At an end of kind rxe there is an rxe device, a new one: the
# connection manager of one whose interface went down while it sent stays dumb on Linux 6.1, though the port is active and
# IP works. At an end of kind soft there is none, for it would answer besides the soft RNIC.
mend_links() {
    local link kind
    for link in 0 1; do
        kind=$1
        shift
        ip link set "eth$link" up
        ip addr replace "$(address "$ID" "$link")/24" dev "eth$link"
        tc qdisc del dev "eth$link" root 2> /dev/null
        [ ! -e "/sys/class/infiniband/rxe$link" ] || rdma link del "rxe$link" || return 1
        [ "$kind" = soft ] || rdma link add "rxe$link" type rxe netdev "eth$link" || return 1
    done
}
