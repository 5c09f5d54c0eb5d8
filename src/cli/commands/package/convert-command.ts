import { stat } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import { convertPackage, type ConvertedPackage } from '../../../convert/convert-package.js';
import type { DependencyOptions } from '../../../convert/convert-dependencies.js';
import { knownOwners } from '../../../convert/known-owners.js';
import { noStats } from '../../../driver/read-stats.js';
import { writeTransaction } from '../../../files/transaction.js';
import type { CrdDemand } from '../../../model/crd-demand.js';
import { DOT_REGISTRY } from '../../../model/dot-registry.js';
import { InputError } from '../../../model/input-error.js';
import type { PackageSource } from '../../../model/package-source.js';
import type { Target } from '../../../model/target/target.js';
import { readRegistryFiles, registryContents } from '../../../sources/dir/registry-files.js';
import { unreadable } from '../../../sources/unreadable.js';
import { command, type ArgsOf, type Flags } from '../../command.js';
import { EXIT } from '../../exit-code.js';
import { outputFlag } from '../../flags/output-flag.js';
import { openSources, sourceFlags } from '../../flags/source/source-flags.js';
import { crossplaneFlag, exactTarget } from '../../flags/target-flag.js';

import type { Io } from '../../io/io.js';
import { workingPlace } from '../../io/lock-file.js';
import { conversionLines, conversionReport } from '../../output/package/conversion.js';
import { jsonDocument } from '../../output/json-document.js';
import { convertedFolder } from './converted-folder.js';

const flags = {
  out: {
    type: 'string',
    requiresArg: true,
    describe: 'Folder to write (default: the name of the package)',
  },
  ...outputFlag,
  ...crossplaneFlag('Crossplane release that is to take it (default: the newest known)'),
  ...sourceFlags,
} as const satisfies Flags;

type Args = ArgsOf<typeof flags>;

/** `convert`: a package of the first format as a folder that `crossplane xpkg build` takes. */
export const convertCommand = command({
  positionals: {
    folder: {
      type: 'string',
      demandOption: true,
      describe: 'Folder that holds a `.registry`',
    },
  },
  flags,
  examples: [
    [
      '$0 convert old/app-blog --out app-blog --from dir:old',
      'what it depends on is looked for among the packages below `old`',
    ],
  ],
  run: async (args, io) => {
    const target = exactTarget(args.crossplane, io);
    const files = await registryFilesIn(args.folder, io);
    const contents = await registryContents(files);
    const [problem] = contents.problems;
    if (problem !== undefined) {
      throw new InputError(`\`${args.folder}\` cannot be converted: ${problem.message}`);
    }
    const converted = await convertPackage(files, contents, dependencies(args, io, target));
    const out = args.out ?? converted.name;
    await write(converted, out, io);
    const report = conversionReport(out, converted);
    io.out(args.output === 'json' ? jsonDocument(report) : conversionLines(report).join(''));
    io.note(`wrote ${out}/; look at it with \`xpkg-resolve lint ${out}\``);
    return EXIT.done;
  },
});

async function registryFilesIn(shown: string, { cwd }: Io) {
  const path = resolve(cwd, shown);
  const folder = basename(path) === DOT_REGISTRY ? dirname(path) : path;
  const found = await stat(resolve(folder, DOT_REGISTRY)).catch(() => undefined);
  if (found?.isDirectory() !== true) {
    throw new InputError(`\`${shown}\` holds no \`${DOT_REGISTRY}\` folder`, {
      hint: 'packages of the first format have one; a package with a crossplane.yaml is one of today',
    });
  }
  try {
    return await readRegistryFiles(folder, shown);
  } catch (error) {
    throw error instanceof Error && 'syscall' in error ? unreadable(shown, error) : error;
  }
}

/** Asks the sources who owns a CRD; they are opened when a package depends on one. */
function dependencies(args: Args, io: Io, target: Target): DependencyOptions {
  let opened: Promise<PackageSource> | undefined;
  const ownersOf = async (demand: CrdDemand) => {
    const source = await (opened ??= openSources(args, io, noStats()));
    return knownOwners(source, demand, target);
  };
  return { dialect: target.rules.dialect, ownersOf };
}

async function write({ files }: ConvertedPackage, out: string, io: Io): Promise<void> {
  const folder = resolve(io.cwd, out);
  const before = await convertedFolder(folder, out);
  const changes = [...new Set([...files.keys(), ...before])].map((name) => ({
    path: resolve(folder, name),
    content: files.get(name),
  }));
  await writeTransaction(changes, workingPlace(io));
}
