# Sets a lab machine up and serves commands; never ends. Arguments are on the kernel's command line:
# lab.id=1|2, lab.rxe=0|1, lab.life=SECONDS after which the machine switches itself off.
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8
for word in $(< /proc/cmdline); do
    case $word in
        lab.id=*) id=${word#*=} ;;
        lab.rxe=*) rxe=${word#*=} ;;
        lab.life=*) life=${word#*=} ;;
    esac
done
hostname "vhca$id"
ulimit -l unlimited
ulimit -c 0
for stream in stdin:0 stdout:1 stderr:2; do ln -sfn "/proc/self/fd/${stream#*:}" "/dev/${stream%:*}"; done
ln -sfn /proc/self/fd /dev/fd
cat > /run/lab/environment << END
export ID=$id PEER=$((3 - id)) PATH=$PATH HOME=$HOME LC_ALL=$LC_ALL
. /run/lab/job.sh
END
. /run/lab/environment
ip link set lo up
ip address add 10.0.2.15/24 dev eth2
ip link set eth2 up
for link in 0 1; do
    ip address add "$(address "$id" "$link")/24" dev "eth$link"
    ip link set "eth$link" up
    [ "$rxe" = 0 ] || rdma link add "rxe$link" type rxe netdev "eth$link" || echo "vhca-lab: no rxe$link"
done
(sleep "$life"; /run/lab/busybox poweroff -f) &
chmod +x /run/lab/agent.sh
# nc is listening before the ready line can be believed: the host asks the agent, it does not only read the console.
echo "vhca-lab: ready after $(cut -d' ' -f1 /proc/uptime) s"
while :; do /run/lab/busybox nc -ll -p 7000 -e /run/lab/agent.sh; done
