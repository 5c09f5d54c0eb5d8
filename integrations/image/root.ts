import { execFileSync } from 'node:child_process';
import { buffer } from 'node:stream/consumers';
import { extract } from 'tar-stream';
import type { PackedFile } from '../packed-files.js';
import type { Debian, DebianPackage } from './debian.js';

/** What the executable loads, a shell for those that call one, and what says which Debian it is. */
const PACKAGES = ['base-files', 'busybox-static', 'libc6', 'libgcc-s1', 'libstdc++6'];

/** Of these packages: shared libraries but those that convert character sets, the shell, and what says who may do what. */
const KEPT_FILES =
  /^(usr\/)?lib(64|32)?\/([^/]+\/)?[^/]+\.so(\.[\d.]+)?$|^usr\/bin\/busybox$|^usr\/share\/doc\/[^/]+\/copyright$|^usr\/lib\/os-release$/;

/** Names by which the shell is called, and programs that scripts of build systems take for granted. */
const APPLETS =
  'basename cat chmod cp cut date dirname env false find grep head id ls mkdir mktemp mv printf pwd readlink rm sed sh sleep sort tail tar tee test touch tr true uname wc which xargs'.split(
    ' ',
  );

/** Whoever runs it, the program writes only where it is told to, and to its cache in /tmp. */
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

/** The root file system that the program is put into. */
export async function rootFrom(debian: Debian): Promise<Root> {
  const packages: DebianPackage[] = [];
  const files = new Map(OWN.map((each) => [each.path, each]));
  const wanted = new Set(PACKAGES);
  for (const name of wanted) {
    const found = debian.package(name);
    packages.push(found);
    const control = execFileSync('dpkg-deb', ['--field', found.file]);
    // Where scanners of images look for it, one file a package.
    const status = `var/lib/dpkg/status.d/${name}`;
    files.set(status, { path: status, mode: 0o644, content: control });
    for (const each of await filesOf(found.file)) {
      // A package whose terms are those of another one.
      if (typeof each.content === 'string' && each.path === `usr/share/doc/${name}`) {
        wanted.add(each.content);
        files.set(each.path, each);
      } else if (KEPT_FILES.test(each.path)) files.set(each.path, each);
    }
  }
  return { files: withFolders(files), packages };
}

/** Files and links of a package, as they are where /lib and /bin are part of /usr. */
async function filesOf(deb: string): Promise<PackedFile[]> {
  const tar = execFileSync('dpkg-deb', ['--fsys-tarfile', deb], { maxBuffer: 1 << 28 });
  const entries = extract();
  const files: PackedFile[] = [];
  entries.end(tar);
  for await (const entry of entries) {
    const { name, type, mode, linkname } = entry.header;
    const path = name.replace(/^\.\//, '').replace(/^(bin|lib|lib64)\//, 'usr/$1/');
    if (type === 'symlink') files.push(link(path, linkname));
    // To be read whatever it is: the next one comes after it.
    const content = await buffer(entry);
    if (type === 'file') files.push({ path, mode, content });
  }
  return files;
}

/** The same files, and the folders that they are in. */
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
