#!/bin/busybox sh
# First program of a lab machine. Loads the modules that came along, lays a writable layer over the host's root file
# system, which is mounted read-only, and goes on there with guest.sh.
/bin/busybox --install -s /bin
export PATH=/bin
fail() { echo "vhca-lab: $*"; poweroff -f; }
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
while read -r module; do
    # Loaded, it takes the UDP port of RoCE, whether there is a device or not.
    grep -q lab.rxe=0 /proc/cmdline && [ "$module" = rdma_rxe.ko ] && continue
    # A packet that waits in a card whose link went down holds rxe's queue pair; Linux 6.1 waits 50 s for it, frees the
    # queue pair all the same, and falls over it when the packet is let go. So the card lets go of packets at once.
    options=
    [ "$module" = virtio_net.ko ] && options=napi_tx=0
    insmod "/modules/$module" $options || fail "cannot load $module"
done < /modules/order
mount -t tmpfs tmpfs /top && mkdir /top/upper /top/work
mount -t 9p -o trans=virtio,version=9p2000.L,msize=512000,ro,cache=loose host /lower || fail "no host root"
mount -t overlay -o lowerdir=/lower,upperdir=/top/upper,workdir=/top/work overlay /merged || fail "no overlay"
for tree in proc sys dev; do mount --move "/$tree" "/merged/$tree"; done
mount -t tmpfs tmpfs /merged/run
mkdir -p /merged/dev/pts /merged/dev/shm /merged/run/lab
mount -t devpts devpts /merged/dev/pts
mount -t tmpfs tmpfs /merged/dev/shm
cp /lab/* /bin/busybox /merged/run/lab/
exec chroot /merged /bin/bash /run/lab/guest.sh
