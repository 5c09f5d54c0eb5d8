import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { mustRun } from '../../conformance/docker-registry.js';

export interface Ran {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * The environment of a container, without a container runtime, which would need control groups: a
 * read-only root, /proc, an empty /tmp, /dev/null, a folder as /work, its own process tree, and a
 * network without connections.
 */
const CONTAINER = `set -eu
root=$1 work=$2 user=$3
shift 3
mount --bind "$root" "$root"
mount -t proc proc "$root/proc"
mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
mount -t tmpfs -o mode=755 tmpfs "$root/dev"
: >"$root/dev/null"
mount --bind /dev/null "$root/dev/null"
mount --bind "$work" "$root/work"
mount -o remount,bind,ro "$root/work"
mount -o remount,bind,ro "$root"
exec chroot --userspec="$user:$user" "$root" /bin/sh -c 'cd /work && exec "$@"' sh "$@"
`;

/** The root file system of an image in a layout, as `umoci` unpacks it. */
export class UnpackedImage {
  readonly root: string;

  constructor(image: string, folder: string) {
    mkdirSync(folder, { recursive: true });
    mustRun('umoci', ['unpack', '--image', image, join(folder, 'bundle')]);
    this.root = join(folder, 'bundle', 'rootfs');
  }

  /** Runs a program of the image as a user, with a readable folder as /work. Requires root. */
  run(
    user: number,
    work: string,
    words: readonly string[],
    env: Readonly<Record<string, string>> = {},
  ): Ran {
    const apart = ['--mount', '--propagation', 'private', '--pid', '--fork', '--net', '--ipc'];
    const args = [...apart, '/bin/sh', '-c', CONTAINER, 'sh', this.root, work, String(user)];
    const { status, stdout, stderr } = spawnSync('unshare', [...args, ...words], {
      encoding: 'utf8',
      // The environment of the image; the shell that prepares it uses its own search path.
      env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', HOME: '/tmp', ...env },
    });
    return { status, stdout, stderr };
  }
}
