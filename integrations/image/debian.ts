import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { KEPT } from '../kept.js';

/** A Debian package and its file. */
export interface DebianPackage {
  readonly name: string;
  readonly version: string;
  readonly sha256: string;
  readonly file: string;
}

/**
 * Debian packages for any architecture from the archives that apt is configured with; apt checks
 * signatures and digests. It installs nothing and does not change the apt of this machine.
 */
export class Debian {
  readonly #folder: string;
  readonly #env: NodeJS.ProcessEnv;

  constructor(architecture: string) {
    this.#folder = join(KEPT, `debian-${architecture}`);
    const config = join(this.#folder, 'apt.conf');
    this.#env = { ...process.env, LC_ALL: 'C', APT_CONFIG: config };
    for (const folder of ['etc', 'state/lists/partial', 'cache/archives/partial', 'packages']) {
      mkdirSync(join(this.#folder, folder), { recursive: true });
    }
    writeFileSync(join(this.#folder, 'etc/sources.list'), sources());
    writeFileSync(join(this.#folder, 'state/status'), '');
    writeFileSync(config, configOf(this.#folder, architecture));
    this.#run('apt-get', ['update', '-q']);
  }

  /** Returns the newest package of a name, downloaded if needed. */
  package(name: string): DebianPackage {
    const shown = this.#run('apt-cache', ['show', '--no-all-versions', name]);
    const [version, sha256] = [field(shown, 'Version'), field(shown, 'SHA256')];
    // The name in apt.
    const called = `${name}_${version.replaceAll(':', '%3a')}_${field(shown, 'Architecture')}.deb`;
    const file = join(this.#folder, 'packages', called);
    if (!existsSync(file)) this.#run('apt-get', ['download', '-q', `${name}=${version}`]);
    const found = createHash('sha256').update(readFileSync(file)).digest('hex');
    if (found !== sha256) throw new Error(`${file} is not what the archive has: remove it`);
    return { name, version, sha256, file };
  }

  #run(program: string, args: readonly string[]): string {
    const options = {
      env: this.#env,
      cwd: join(this.#folder, 'packages'),
      encoding: 'utf8',
    } as const;
    return execFileSync(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  }
}

/** Returns the Debian archives that apt is configured with, for any architecture. */
function sources(): string {
  const format = '$(REPO_URI) $(RELEASE) $(COMPONENT)';
  const told = execFileSync(
    'apt-get',
    ['indextargets', '--format', format, 'Created-By: Packages'],
    {
      encoding: 'utf8',
    },
  );
  const archives = new Set(told.split('\n').filter((line) => /\/debian(-security)?\/ /.test(line)));
  if (archives.size === 0) throw new Error('apt is set up with no archive of Debian here');
  return Array.from(archives, (archive) => `deb [signed-by=${KEYRING}] ${archive}\n`).join('');
}

const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg';

function configOf(folder: string, architecture: string): string {
  const settings = {
    'Dir::Etc': join(folder, 'etc'),
    'Dir::State': join(folder, 'state'),
    'Dir::State::status': join(folder, 'state/status'),
    'Dir::Cache': join(folder, 'cache'),
    'APT::Architecture': architecture,
    'APT::Sandbox::User': '',
    'Acquire::Languages': 'none',
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name} "${value}";\n`);
  return `${lines.join('')}APT::Architectures { "${architecture}"; };\n`;
}

function field(control: string, name: string): string {
  const value = new RegExp(`^${name}: (.*)$`, 'm').exec(control)?.[1];
  if (value === undefined) throw new Error(`apt says no ${name}`);
  return value;
}
