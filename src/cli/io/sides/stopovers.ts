import type { LockedPackage } from '../../../lock/lockfile.js';
import { InputError } from '../../../model/input-error.js';
import type { PackageSource } from '../../../model/package-source.js';
import { targetFor, type Target } from '../../../model/target/target.js';
import type { Between } from '../../../plan/journey.js';
import { lockedAt } from '../../../usecases/plan/locked-at.js';
import type { Flags } from '../../command.js';
import { lockedPackage, notLocked } from '../locked-name.js';
import type { NamedLock } from './named-lock.js';

/** Versions to pass through, of packages and of Crossplane. */
export const viaFlag = {
  via: {
    type: 'string',
    array: true,
    nargs: 1,
    describe: 'Version to pass through, SOURCE@VERSION or crossplane@VERSION; may be repeated',
  },
} as const satisfies Flags;

interface Ends {
  readonly old: NamedLock;
  readonly fresh: NamedLock;
  readonly source: () => Promise<PackageSource>;
}

/** What `--via` asks for; undefined: nothing. */
export async function stopovers(
  texts: readonly string[] | undefined,
  ends: Ends,
): Promise<Between | undefined> {
  if (texts === undefined) return undefined;
  let release: Target | undefined;
  const packages: LockedPackage[] = [];
  for (const text of texts) {
    const at = text.lastIndexOf('@');
    const [name, version] = [text.slice(0, Math.max(at, 0)), text.slice(at + 1)];
    if (name === '' || version === '') {
      throw new InputError(`\`--via ${text}\` names no version`, {
        hint: 'write `--via SOURCE@VERSION` or `--via crossplane@VERSION`',
      });
    }
    if (name === 'crossplane') release = releaseOf(version);
    else packages.push(await packageAt(name, version, ends));
  }
  return { release, packages };
}

function releaseOf(version: string): Target {
  const release = targetFor(version);
  if (release !== undefined) return release;
  throw new InputError(`\`--via crossplane@${version}\` is not an exact version`);
}

async function packageAt(
  name: string,
  version: string,
  { old, fresh, source }: Ends,
): Promise<LockedPackage> {
  const [from, to] = [old.lockfile, fresh.lockfile];
  const like = lockedPackage(name, to) ?? lockedPackage(name, from);
  // A package of neither lockfile is named in full.
  if (like === undefined && !name.includes('/')) throw notLocked(name, to);
  const repository = like?.repository ?? name;
  const found = await lockedAt({ repository, version }, { from, to }, await source());
  if (found !== undefined) return found;
  throw new InputError(
    `no source has \`${repository}\` at ${version} for Crossplane ${to.crossplane}`,
    { hint: `\`xpkg-resolve versions ${repository}\` lists what there is` },
  );
}
