import { existsSync } from 'node:fs';
import { resolve as resolvePath } from 'node:path';
import { noStats } from '../../../driver/read-stats.js';
import { andList } from '../../../explain/sentences/word-list.js';
import { writeTransaction } from '../../../files/transaction.js';
import { DEFAULT_FILES } from '../../../inputs/input-files.js';
import { formatLockfile } from '../../../lock/format-lockfile.js';
import type { ClusterDump } from '../../../model/cluster/cluster-dump.js';
import { InputError } from '../../../model/input-error.js';
import type { Target } from '../../../model/target/target.js';
import { releaseOfDump } from '../../../usecases/cluster/dumped-release.js';
import { importCluster, type ImportedCluster } from '../../../usecases/cluster/import-cluster.js';
import { keptObjects } from '../../../usecases/cluster/kept-objects.js';
import { command, type ArgsOf, type Flags } from '../../command.js';
import { EXIT } from '../../exit-code.js';
import { dumpArgument, dumpFlags, readDumps } from './dump-argument.js';
import { lockFlag } from '../../flags/lock-flag.js';
import { outputFlag } from '../../flags/output-flag.js';
import { openSources, sourceFlags } from '../../flags/source/source-flags.js';
import { crossplaneFlag, exactTarget } from '../../flags/target-flag.js';
import type { Io } from '../../io/io.js';
import { workingPlace } from '../../io/lock-file.js';
import { withProgress } from '../../io/progress.js';
import { importJson, importLines } from '../../output/cluster/import.js';
import {
  importedSetText,
  OBJECTS_FILE,
  objectsFileText,
} from '../../output/cluster/imported-set.js';
import { findingLines } from '../../output/set-lint.js';

const SET_FILE = DEFAULT_FILES[0]!;

const flags = {
  ...dumpFlags,
  ...sourceFlags,
  ...crossplaneFlag('Release that the cluster runs (default: what the dump tells of it)'),
  ...lockFlag('Lockfile to write'),
  ...outputFlag,
  write: { type: 'boolean', default: true, describe: 'Answer only: write no file' },
} as const satisfies Flags;

type Args = ArgsOf<typeof flags>;

export const importCommand = command({
  positionals: dumpArgument,
  flags,
  examples: [
    ['$0 import cluster.yaml', 'from what `kubectl get … -o yaml` printed, offline'],
    ['$0 import cluster.yaml --from registry', 'with digests, read from the registries'],
    ['kubectl get pkg,pkgrev,locks -o yaml | $0 import -', 'straight from a cluster'],
  ],
  epilogue:
    `Writes \`${SET_FILE}\`, the lockfile and, for what neither holds, \`${OBJECTS_FILE}\`; never over files that are there. ` +
    'No version moves. A dump tells the first 12 digits of a digest: the rest, and what the images hold, is read where `--from` says.',
  run: async (args, io) => {
    if (args.write) refuseOverwriting(args, io);
    const dump = await readDumps(args, io);
    const target = targetOf(args, dump, io);
    const imported = await readCluster(dump, target, args, io);
    const files = filesOf(imported, target, args, io);
    for (const line of findingLines(imported.findings)) io.note(line);
    if (args.output === 'json') io.out(importJson(imported, target, files));
    else for (const line of importLines(imported, target)) io.out(`${line}\n`);
    if (args.write) {
      const outputs = files.map(({ file, text }) => ({
        path: resolvePath(io.cwd, file),
        content: text,
      }));
      await writeTransaction(outputs, workingPlace(io));
      io.note(`wrote ${andList(files.map(({ file }) => file))}`);
    }
    for (const line of nextSteps(imported, args)) io.note(`hint: ${line}`);
    return EXIT.done;
  },
});

function refuseOverwriting({ lock }: Args, { cwd }: Io): void {
  const there = [SET_FILE, OBJECTS_FILE, lock].find((file) => existsSync(resolvePath(cwd, file)));
  if (there === undefined) return;
  throw new InputError(`\`${there}\` is there already, and is left as it is`, {
    hint: '`xpkg-resolve drift` compares a dump with a lockfile; to import anew, do so in another folder, or look with --no-write',
  });
}

function targetOf({ crossplane }: Args, dump: ClusterDump, io: Io): Target {
  if (crossplane !== undefined) return exactTarget(crossplane, io);
  const { version, isNamed } = releaseOfDump(dump);
  if (!isNamed) {
    io.note(
      `note: for Crossplane ${version}, the newest release that could hold such objects; \`--crossplane\` names the one that runs`,
    );
  }
  return exactTarget(version, io);
}

async function readCluster(
  dump: ClusterDump,
  target: Target,
  args: Args,
  io: Io,
): Promise<ImportedCluster> {
  if (args.from === undefined) return importCluster(dump, { target });
  const stats = noStats();
  const source = await openSources(args, io, stats, keptObjects(dump));
  return withProgress(io, stats, () => importCluster(dump, { target, source }));
}

interface OutputFile {
  readonly file: string;
  readonly text: string;
}

function filesOf(imported: ImportedCluster, target: Target, { lock }: Args, io: Io): OutputFile[] {
  const objects = objectsFileText(imported.request);
  return [
    { file: SET_FILE, text: importedSetText(imported, target, io.cwd) },
    ...(objects === undefined ? [] : [{ file: OBJECTS_FILE, text: objects }]),
    { file: lock, text: formatLockfile(imported.lockfile) },
  ];
}

function nextSteps({ undigested, lockfile }: ImportedCluster, { from }: Args): string[] {
  const missing = `${undigested} of ${lockfile.packages.length} packages are locked without a digest`;
  return [
    ...(undigested === 0
      ? []
      : from === undefined
        ? [
            `${missing}, which a dump does not tell: \`import … --from registry\` reads them, and so does \`xpkg-resolve resolve\``,
          ]
        : [`${missing}: see above why`]),
    '`xpkg-resolve resolve` says whether it fits together, and writes rendered/',
  ];
}
