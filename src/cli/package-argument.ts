import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Argv } from 'yargs';
import { InputError } from '../model/input-error.js';
import type { Origin } from '../model/package.js';
import type { PackageContents } from '../model/package-contents.js';
import type { Target } from '../model/target.js';
import { readPackageYaml } from '../package-yaml/read-package-yaml.js';
import { readPackageOnDisk } from '../sources/package-on-disk.js';
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
      describe: 'A package.yaml, the folder of a crossplane.yaml, or `-` for standard input',
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
  if (args.package === '-') {
    const contents = await readPackageYaml(Buffer.from(await io.stdin()));
    return { contents, digest: undefined, originOf: (line) => ({ file: '-', line }) };
  }
  const path = resolve(io.cwd, args.package);
  if (await exists(path)) {
    return { ...(await readPackageOnDisk(path, args.package)), digest: undefined };
  }
  throw new InputError(`\`${args.package}\` is no file or folder on this machine`, {
    hint: `name a package.yaml or the folder of a crossplane.yaml (for ${target.version})`,
  });
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch {
    return false;
  }
}
