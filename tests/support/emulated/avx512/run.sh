#!/usr/bin/env bash
# Compute the recorded digests on an emulated processor with AVX-512: Bochs boots a kernel of Debian whose only process
# is init.c, linked with the programs. Everything is made in .avx512; nothing is installed.
set -euo pipefail
cd "$(dirname "$0")/../../../.."

skip() { echo "test-avx512 is skipped: $1"; exit 0; }

HERE=$PWD/tests/support/emulated/avx512
MADE=$PWD/.avx512
BOOT=/usr/lib/ISOLINUX/isolinux.bin
[ "$(uname -m)" = x86_64 ] || skip "it needs an x86-64 machine."
for tool in bochs xorriso cpio gcc objcopy script; do
  command -v $tool >/dev/null || skip "there is no $tool; Debian's packages are bochs bochs-term bochsbios vgabios \
isolinux syslinux-common xorriso cpio gcc libc6-dev binutils bsdutils."
done
[ -e $BOOT ] || skip "there is no isolinux."

kernel() {  # the newest small kernel of Debian, unpacked
  local package
  package=$(apt-cache depends linux-image-cloud-amd64 | sed -n 's/.*Depends: \(linux-image-[0-9].*\)/\1-unsigned/p' | head -1)
  rm -rf "$MADE/kernel" && mkdir -p "$MADE/kernel"
  (cd "$MADE/kernel" && apt-get -qq download "$package" && dpkg-deb -x ./*.deb .) || return 1
  cp "$MADE"/kernel/boot/vmlinuz-* "$MADE/vmlinuz" && rm -rf "$MADE/kernel"
}

mkdir -p "$MADE"
[ -e "$MADE/vmlinuz" ] || kernel || skip "Debian's kernel cannot be fetched or unpacked."
rm -rf "$MADE"/{objects,files,disk,serial.txt}
mkdir -p "$MADE"/{objects,files/dev,disk/isolinux}
PYTHONPATH=tests .venv/bin/python "$HERE/programs.py" "$MADE/objects"
gcc -std=gnu11 -Wall -O1 -static -I "$MADE/objects" -o "$MADE/files/init" "$HERE/init.c" "$MADE"/objects/*.o -lm
(cd "$MADE/files" && find . | cpio --quiet -o -H newc) > "$MADE/disk/initrd"
cp "$MADE/vmlinuz" "$MADE/disk"
cp $BOOT /usr/lib/syslinux/modules/bios/ldlinux.c32 "$MADE/disk/isolinux"
# Bochs counts the bytes of compact states of registers otherwise than Linux, which then does without AVX.
cat > "$MADE/disk/isolinux/isolinux.cfg" <<END
default linux
label linux
 kernel /vmlinuz
 append initrd=/initrd console=ttyS0 quiet panic=1 nokaslr mitigations=off tsc=reliable no_timer_check lpj=1000000 nosmp acpi=off noxsaves clearcpuid=xsaves,xsavec
END
xorriso -as mkisofs -quiet -o "$MADE/disk.iso" -b isolinux/isolinux.bin -c isolinux/boot.cat -no-emul-boot \
  -boot-load-size 4 -boot-info-table "$MADE/disk" 2>/dev/null
cat > "$MADE/machine" <<END
plugin_ctrl: unmapped=1, biosdev=1, speaker=0, extfpuirq=1, parallel=0, serial=1
display_library: term
megs: 512
romimage: file=/usr/share/bochs/BIOS-bochs-latest
vgaromimage: file=/usr/share/bochs/VGABIOS-lgpl-latest
cpu: model=corei7_skylake_x, count=1, ips=60000000, reset_on_triple_fault=0
ata0-master: type=cdrom, path=$MADE/disk.iso, status=inserted
boot: cdrom
com1: enabled=1, mode=file, dev=$MADE/serial.txt
log: $MADE/bochs.log
panic: action=fatal
clock: sync=none
END
echo c > "$MADE/commands"  # "continue", to its debugger
# it wants a terminal, and does not end with the machine
TERM=xterm timeout 900 script -qfc "echo \$\$ > '$MADE/pid'; exec bochs -q -rc '$MADE/commands' -f '$MADE/machine'" /dev/null \
  </dev/null >"$MADE/screen" 2>&1 &
EMULATOR=$!
trap 'kill -9 "$(cat "$MADE/pid")" 2>/dev/null || true' EXIT
while kill -0 $EMULATOR 2>/dev/null && ! grep -q '^end' "$MADE/serial.txt" 2>/dev/null; do sleep 1; done
PYTHONPATH=tests .venv/bin/python "$HERE/compare.py" "$MADE/serial.txt"
