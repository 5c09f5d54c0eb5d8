import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Argv } from 'yargs';
import { InputError } from '../model/input-error.js';
import type { Origin, Repository } from '../model/package.js';
import type { PackageContents } from '../model/package-contents.js';
import type { FetchedPackage } from '../model/package-source.js';
import type { Target } from '../model/target.js';
import { readPackageYaml } from '../package-yaml/read-package-yaml.js';
import { readPackageOnDisk } from '../sources/package-on-disk.js';
import { unreadable } from '../sources/unreadable.js';
import type { Io } from './io.js';

/** Flags of commands that look at one package. */
export interface PackageArgs {
  readonly package: string;
  readonly crossplane: string | undefined;
  readonly compat: boolean;
  readonly output: 'text' | 'json';
}

/** The package that a command line names. */
export interface NamedPackage {
  readonly contents: PackageContents;
  readonly digest: string | undefined;
  readonly originOf: (line: number | undefined) => Origin;
}

export function packageFlags<T>(yargs: Argv<T>): Argv<T & PackageArgs> {
  return yargs
    .positional('package', {
      type: 'string',
      demandOption: true,
      describe:
        'A package.yaml, an .xpkg file, the folder of a crossplane.yaml, or `-` for standard input',
      // yargs hands a lone dash on as an empty string.
      coerce: (text: string) => (text === '' ? '-' : text),
    })
    .option('crossplane', {
      type: 'string',
      requiresArg: true,
      describe: 'Crossplane release that is to take it (default: the newest known)',
    })
    .option('compat', {
      type: 'boolean',
      default: false,
      describe: 'Also read what old design documents describe and Crossplane rejects',
    })
    .option('output', {
      alias: 'o',
      choices: ['text', 'json'] as const,
      default: 'text' as const,
    });
}

export async function openPackage(
  args: PackageArgs,
  io: Io,
  target: Target,
): Promise<NamedPackage> {
  const shown = args.package;
  if (shown === '-') {
    const contents = await readPackageYaml(Buffer.from(await io.stdin()));
    return { contents, digest: undefined, originOf: (line) => ({ file: '-', line }) };
  }
  const path = resolve(io.cwd, shown);
  if (!existsSync(path)) {
    throw new InputError(`\`${shown}\` is no file or folder on this machine`, {
      hint: 'name a package.yaml, an .xpkg file or the folder of a crossplane.yaml',
    });
  }
  if (path.endsWith('.xpkg')) return openXpkg(path, shown, target);
  try {
    return { ...(await readPackageOnDisk(path, shown)), digest: undefined };
  } catch (error) {
    throw error instanceof Error && 'code' in error ? unreadable(shown, error) : error;
  }
}

/** An `.xpkg` file says neither its repository nor its tag; nobody asks for them here. */
async function openXpkg(path: string, shown: string, target: Target): Promise<NamedPackage> {
  const { openXpkgSource } = await import('../sources/xpkg-source.js');
  const candidate = { repository: 'xpkg.local/package' as Repository, version: 'v0.0.0' };
  const { repository, version: tag } = candidate;
  const source = await openXpkgSource(path, { shown, repository, tag });
  return fetched(await source.fetch(candidate, target), shown);
}

function fetched(found: FetchedPackage | undefined, shown: string): NamedPackage {
  if (found === undefined) throw new InputError(`\`${shown}\`: there is no such package`);
  const { contents, digest } = found;
  return { contents, digest, originOf: (line) => ({ file: `${shown}: package.yaml`, line }) };
}
