import type { Lockfile } from '../../lock/lockfile.js';
import { publishedVersions } from '../../usecases/look/published.js';
import { targetFor } from '../../model/target/target.js';
import { timeBudget } from '../../model/time/time-budget.js';
import type { Io } from '../io/io.js';
import { readLock } from '../io/lock-file.js';

interface Completed {
  readonly command: string;
  readonly words: readonly string[];
}

/** What the arguments of a command name: locked packages, also at a version, and what they own. */
const NAMES: Readonly<Record<string, readonly ('package' | 'version' | 'owned')[]>> = {
  why: ['package', 'owned'],
  update: ['package', 'version'],
  versions: ['package'],
  inspect: ['package', 'version'],
  lint: ['package', 'version'],
  search: ['owned'],
  remove: ['package'],
};

/**
 * Names from the lockfile, and versions from the sources on the command line that need no network.
 *
 * Whatever goes wrong, there is nothing to offer: a shell that completes must print no error.
 */
export async function knownNames({ command, words }: Completed, io: Io): Promise<string[]> {
  const wanted = NAMES[command] ?? [];
  if (wanted.length === 0) return [];
  try {
    const lock = await readLock(
      { ...NO_NETWORK, lock: valuesOf(words, '--lock').at(-1) ?? 'xpkg.lock.yaml' },
      io,
    );
    if (lock === undefined) return [];
    const { lockfile } = lock;
    const current = words.at(-1) ?? '';
    if (wanted.includes('version') && current.includes('@')) {
      return await versionsOf(current, { words, lockfile }, io);
    }
    const packages = lockfile.packages.flatMap(({ repository }) => [
      repository,
      lastPart(repository),
    ]);
    const owned = lockfile.packages.flatMap(({ owns }) => owns.map(({ name }) => name));
    return [
      ...(wanted.includes('package') ? packages : []),
      ...(wanted.includes('owned') ? owned : []),
    ];
  } catch {
    return [];
  }
}

const NO_NETWORK = {
  offline: true,
  cache: undefined,
  concurrency: 1,
  trace: false,
  insecureRegistry: undefined,
  pullSecret: undefined,
  timeout: timeBudget(Infinity),
} as const;

async function versionsOf(
  current: string,
  { words, lockfile }: { readonly words: readonly string[]; readonly lockfile: Lockfile },
  io: Io,
): Promise<string[]> {
  const name = current.slice(0, current.indexOf('@'));
  const locked = lockfile.packages.find(
    ({ repository }) => repository === name || lastPart(repository) === name,
  );
  const target = targetFor(lockfile.crossplane);
  if (locked === undefined || target === undefined) return [];
  const { openSources } = await import('../flags/source/source-flags.js');
  const from = valuesOf(words, `--from`);
  const source = await openSources({ ...NO_NETWORK, from: from.length > 0 ? from : undefined }, io);
  const tags = (await source.tags(locked.repository, target)) ?? [];
  return publishedVersions(tags, target).map(({ raw }) => `${name}@${raw}`);
}

function lastPart(repository: string): string {
  return repository.slice(repository.lastIndexOf('/') + 1);
}

function valuesOf(words: readonly string[], flag: string): string[] {
  return words.flatMap((word, i) => {
    if (word === flag) return words[i + 1] ?? [];
    return word.startsWith(`${flag}=`) ? word.slice(flag.length + 1) : [];
  });
}
