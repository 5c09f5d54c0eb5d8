import { open, readdir, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { knownOwners } from './search.js';
import { conversionLines, type ConversionReport, convertOutput } from './output.js';
import { InputError } from '../../base/errors.js';
import { shellWord } from '../../base/escape.js';
import {
  isFileSystemError,
  readError,
  undefinedIfAbsent,
  withWriteError,
} from '../../base/files/file-system.js';
import { writeTransaction } from '../../base/files/transaction.js';
import { outputFlag, writeFlag } from '../../cli/arguments/common-flags.js';
import { projectTarget, projectTargetFlag } from '../../cli/arguments/target-flag.js';
import { workingPlace } from '../../cli/files/lock-file.js';
import { defineCommand } from '../../cli/kit/command.js';
import { openSources, sourceFlags } from '../../cli/sources/source-flags.js';
import type { RunIo } from '../../cli/terminal/io.js';
import { CONVERTED_MARK, convertPackage } from '../../crossplane/legacy/convert-package.js';
import { DOT_REGISTRY } from '../../crossplane/legacy/dot-registry.js';
import { readRegistryFiles, registryContents } from '../../sources/package-on-disk.js';
import type { PackageSource } from '../../sources/package-source.js';

/** `convert`: converts a `.registry` package to a folder for `crossplane xpkg build`. */
export const convertCommand = defineCommand({
  positionals: {
    folder: {
      demandOption: true,
      describe: 'Folder that holds a `.registry`',
    },
  },
  flags: {
    out: { describe: 'Folder to write (default: the name of the package)' },
    ...writeFlag,
    ...outputFlag,
    ...projectTargetFlag('Crossplane release that is to take it'),
    ...sourceFlags,
  },
  examples: [
    [
      '$0 convert old/app-blog --out app-blog --from dir:old',
      'what it depends on is looked for among the packages below `old`',
    ],
  ],
  run: async (args, io): Promise<ConversionReport> => {
    const target = await projectTarget(args, io);
    const files = await registryFilesIn(args.folder, io);
    const contents = await registryContents(files);
    const [problem] = contents.problems;
    if (problem !== undefined) {
      throw new InputError(`\`${args.folder}\` cannot be converted: ${problem.message}`);
    }
    let source: Promise<PackageSource> | undefined; // opened when the package depends on a CRD
    const converted = await convertPackage(files, contents, {
      dialect: target.rules.dialect,
      ownersOf: async (crd) => knownOwners(await (source ??= openSources(args, io)), crd, target),
    });
    const { name, files: written, losses } = converted;
    const { out = name } = args;
    const folder = resolve(io.cwd, out);
    const before = await convertedFolder(folder, out);
    const changes = [...new Set([...written.keys(), ...before])].map((file) => {
      return { path: resolve(folder, file), content: written.get(file) };
    });
    if (args.write) await writeTransaction(changes, workingPlace(io));
    return { folder: out, name, files: [...written.keys()], losses };
  },
  json: () => convertOutput,
  text: conversionLines,
  closingNotes: ({ folder }, { write: isWritten }) => [
    isWritten
      ? `wrote ${folder}/; look at it with \`xpkg-resolve lint ${shellWord(folder)}\``
      : `would write ${folder}/`,
  ],
});

async function registryFilesIn(shown: string, { cwd }: RunIo) {
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
    throw isFileSystemError(error) ? readError(shown, error) : error;
  }
}

/**
 * Returns the files of an earlier conversion as paths below their folder; none if the folder is empty
 * or does not exist. Throws if the folder has any other file.
 */
async function convertedFolder(folder: string, shown: string): Promise<readonly string[]> {
  return withWriteError(folder, async () => {
    const reading = readdir(folder, { withFileTypes: true, recursive: true });
    const names = ((await undefinedIfAbsent(reading)) ?? [])
      .filter((entry) => !entry.isDirectory())
      .map(({ parentPath, name }) => relative(folder, join(parentPath, name)))
      .sort();
    for (const name of names) {
      if (await isConverted(join(folder, name))) continue;
      throw new InputError(`\`${join(shown, name)}\` was not written by \`convert\``, {
        hint: 'name a new folder with `--out`: one that holds anything else is left as it is',
      });
    }
    return names;
  });
}

async function isConverted(path: string): Promise<boolean> {
  const file = await open(path);
  try {
    if (!(await file.stat()).isFile()) return false;
    const { buffer } = await file.read(Buffer.alloc(CONVERTED_MARK.length), 0);
    return buffer.toString('utf8') === CONVERTED_MARK;
  } finally {
    await file.close();
  }
}
