import { execFileSync } from 'node:child_process';
import { buffer } from 'node:stream/consumers';
import { extract } from 'tar-stream';
import type { PackedFile } from '../packed-files.js';
import type { Debian, DebianPackage } from './debian.js';

/**
 * Libraries of the executable, a shell for tools that need one, and the release information of
 * Debian.
 */
const PACKAGES = ['base-files', 'busybox-static', 'libc6', 'libgcc-s1', 'libstdc++6'];

/**
 * Files of these packages that are kept: shared libraries except character set converters, the
 * shell, and licenses.
 */
const KEPT_FILES =
  /^(usr\/)?lib(64|32)?\/([^/]+\/)?[^/]+\.so(\.[\d.]+)?$|^usr\/bin\/busybox$|^usr\/share\/doc\/[^/]+\/copyright$|^usr\/lib\/os-release$/;

/** Names of the shell, and programs that scripts of build systems expect. */
const APPLETS =
  'basename cat chmod cp cut date dirname env false find grep head id ls mkdir mktemp mv printf pwd readlink rm sed sh sleep sort tail tar tee test touch tr true uname wc which xargs'.split(
    ' ',
  );

/** For any user, the program writes only to the given paths, and to its cache in /tmp. */
const PASSWD = `root:x:0:0:root:/:/bin/sh
argocd:x:999:999:argocd:/tmp:/bin/sh
nonroot:x:65532:65532:nonroot:/tmp:/bin/sh
`;
const GROUP = `root:x:0:
argocd:x:999:
nonroot:x:65532:
`;

const OWN: readonly PackedFile[] = [
  ...[
    'dev',
    'etc',
    'proc',
    'run',
    'sys',
    'usr',
    'usr/bin',
    'usr/lib',
    'usr/lib64',
    'var',
    'work',
  ].map((path) => ({ path, mode: 0o755 })),
  { path: 'tmp', mode: 0o1777 },
  ...['bin', 'lib', 'lib64'].map((path) => link(path, `usr/${path}`)),
  link('etc/os-release', '../usr/lib/os-release'),
  link('var/run', '../run'),
  file('etc/passwd', PASSWD),
  file('etc/group', GROUP),
  file('etc/nsswitch.conf', 'passwd: files\ngroup: files\nhosts: files dns\n'),
  ...APPLETS.map((name) => link(`usr/bin/${name}`, 'busybox')),
];

export interface Root {
  readonly files: readonly PackedFile[];
  readonly packages: readonly DebianPackage[];
}

/** Returns the root file system to which the program is added. */
export async function rootFrom(debian: Debian): Promise<Root> {
  const packages: DebianPackage[] = [];
  const files = new Map(OWN.map((each) => [each.path, each]));
  const wanted = new Set(PACKAGES);
  for (const name of wanted) {
    const found = debian.package(name);
    packages.push(found);
    const control = execFileSync('dpkg-deb', ['--field', found.file]);
    // The place where image scanners look for it, one file for each package.
    const status = `var/lib/dpkg/status.d/${name}`;
    files.set(status, { path: status, mode: 0o644, content: control });
    for (const each of await filesOf(found.file)) {
      // A package with the license of another one.
      if (typeof each.content === 'string' && each.path === `usr/share/doc/${name}`) {
        wanted.add(each.content);
        files.set(each.path, each);
      } else if (KEPT_FILES.test(each.path)) files.set(each.path, each);
    }
  }
  return { files: withFolders(files), packages };
}

/** Returns files and links of a package, with /lib and /bin moved into /usr. */
async function filesOf(deb: string): Promise<PackedFile[]> {
  const tar = execFileSync('dpkg-deb', ['--fsys-tarfile', deb], { maxBuffer: 1 << 28 });
  const entries = extract();
  const files: PackedFile[] = [];
  entries.end(tar);
  for await (const entry of entries) {
    const { name, type, mode, linkname } = entry.header;
    const path = name.replace(/^\.\//, '').replace(/^(bin|lib|lib64)\//, 'usr/$1/');
    if (type === 'symlink') files.push(link(path, linkname));
    // Read in any case, because the next entry follows it.
    const content = await buffer(entry);
    if (type === 'file') files.push({ path, mode, content });
  }
  return files;
}

/** Returns the files and their parent folders. */
function withFolders(files: ReadonlyMap<string, PackedFile>): PackedFile[] {
  const all = new Map(files);
  for (const path of files.keys()) {
    for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1)) {
      const folder = path.slice(0, at);
      if (!all.has(folder)) all.set(folder, { path: folder, mode: 0o755 });
    }
  }
  return [...all.values()];
}

function link(path: string, to: string): PackedFile {
  return { path, mode: 0o777, content: to };
}

function file(path: string, content: string): PackedFile {
  return { path, mode: 0o644, content: Buffer.from(content) };
}
