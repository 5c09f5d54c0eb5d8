import { existsSync } from 'node:fs';
import { resolve as resolvePath } from 'node:path';
import {
  importCluster,
  type ImportedCluster,
  extraManifestsOf,
  detectRelease,
} from './import-cluster.js';
import { importLines, importOutput, type ImportValue } from './output.js';
import { dumpArgument, dumpFlags, readDumps } from './read-dump-command.js';
import { InputError } from '../../base/errors.js';
import { writeTransaction } from '../../base/files/transaction.js';
import type { JsonObject } from '../../base/json.js';
import { andList } from '../../base/messages.js';
import { writeYamlStream } from '../../base/yaml/write-yaml.js';
import { lockFlag, outputFlag, writeFlag } from '../../cli/arguments/common-flags.js';
import {
  acceptUnknownFlag,
  exactTarget,
  requireKnownRelease,
} from '../../cli/arguments/target-flag.js';
import { lockInputs } from '../../cli/files/lock-checks.js';
import { workingPlace } from '../../cli/files/lock-file.js';
import { type ArgsOf, defineCommand, type Flags } from '../../cli/kit/command.js';
import { openSources, sourceFlags } from '../../cli/sources/source-flags.js';
import type { RunIo } from '../../cli/terminal/io.js';
import { withProgress } from '../../cli/terminal/progress.js';
import type { ClusterDump } from '../../crossplane/package-manager/cluster-dump.js';
import type { Target } from '../../crossplane/releases/target.js';
import { DEFAULT_FILES } from '../../project/inputs/input-files.js';
import { type PackageRoot, rootVersionText } from '../../project/inputs/request.js';
import { formatLockfile } from '../../project/lockfile/format-lockfile.js';
import { newProjectText, projectName } from '../edit/new-project.js';
import { findingLines } from '../lint/output.js';

const SET_FILE = DEFAULT_FILES[0]!;

/** Objects that a PackageSet cannot express: ImageConfigs, runtime configs, packages with labels. */
const OBJECTS_FILE = 'xpkg.objects.yaml';

const flags = {
  ...dumpFlags,
  ...sourceFlags,
  crossplane: { describe: 'Release that the cluster runs (default: what the dump tells of it)' },
  ...lockFlag('Lockfile to write'),
  ...outputFlag,
  ...writeFlag,
  ...acceptUnknownFlag,
} as const satisfies Flags;

type Args = ArgsOf<typeof flags>;

export const importCommand = defineCommand({
  positionals: dumpArgument,
  flags,
  isInWorkingFolder: true,
  examples: [
    ['$0 import cluster.yaml', 'from what `kubectl get … -o yaml` printed, offline'],
    ['$0 import cluster.yaml --from registry', 'with digests, read from the registries'],
    ['kubectl get pkg,pkgrev,locks -o yaml | $0 import -', 'straight from a cluster'],
  ],
  epilogue:
    `Writes \`${SET_FILE}\`, the lockfile and, for what neither holds, \`${OBJECTS_FILE}\`; never over files that are there. ` +
    'No version moves. A dump tells no digest, or its first 12 digits: the rest, and what the images hold, is read where `--from` says.',
  run: async (args, io): Promise<ImportValue> => {
    const existing = existingFile(args, io);
    if (args.write && existing !== undefined) {
      throw new InputError(`\`${existing}\` is there already, and is left as it is`, {
        hint: '`xpkg-resolve drift` compares a dump with a lockfile; to import anew, do so in another folder, or look with --no-write',
      });
    }
    const dump = await readDumps(args, io);
    const target = targetOf(args, dump, io);
    requireKnownRelease(target, args);
    const imported = await readCluster(dump, target, args, io);
    const files = filesOf(imported, target, args, io);
    const pathOf = (file: string) => resolvePath(io.cwd, file);
    const outputs = files.map(({ file, text }) => ({ path: pathOf(file), content: text }));
    if (args.write) await writeTransaction(outputs, workingPlace(io));
    return { ...imported, target, files, existing };
  },
  json: () => importOutput,
  text: importLines,
  notes: ({ findings }) => findingLines(findings),
  closingNotes: (value, args) => [
    writtenText(value, args),
    ...nextSteps(value, args).map((line) => `hint: ${line}`),
  ],
});

/** Returns the first output file that exists; files are never overwritten. */
function existingFile({ lock }: Args, { cwd }: RunIo): string | undefined {
  return [SET_FILE, OBJECTS_FILE, lock].find((file) => existsSync(resolvePath(cwd, file)));
}

function targetOf({ crossplane }: Args, dump: ClusterDump, io: RunIo): Target {
  if (crossplane !== undefined) return exactTarget(crossplane, io);
  const { version, isNamed } = detectRelease(dump);
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
  io: RunIo,
): Promise<ImportedCluster> {
  if (args.from === undefined) return importCluster(dump, { target });
  const source = await openSources(args, io, extraManifestsOf(dump));
  return withProgress(io, source.stats, () => importCluster(dump, { target, source }));
}

/** Returns the files of a project with the packages of the cluster. */
function filesOf(imported: ImportedCluster, target: Target, { lock }: Args, io: RunIo) {
  const { request, required, lockfile } = imported;
  const name = projectName(io.cwd);
  const objects = [
    ...request.kept.map(({ object }) => object),
    ...request.roots.flatMap(({ object }) => object ?? []),
  ];
  const entriesOf = (isRequired: boolean) =>
    request.roots
      .filter((root) => !root.object && required.has(root.repository) === isRequired)
      .map(entryOf);
  const setText = newProjectText({
    name,
    crossplane: target.version,
    include: objects.length === 0 ? [] : [OBJECTS_FILE],
    packages: entriesOf(false),
    required: entriesOf(true),
    defaults: request.defaults,
  });
  const objectsText = `# Objects of the cluster that an entry of xpkg.yaml has no place for; edit them as you like.\n${writeYamlStream(objects)}`;
  const inputs = lockInputs({ name, files: [SET_FILE] }, lock, io);
  return [
    { file: SET_FILE, text: setText },
    ...(objects.length === 0 ? [] : [{ file: OBJECTS_FILE, text: objectsText }]),
    { file: lock, text: formatLockfile({ ...lockfile, inputs }) },
  ];
}

/** Returns the entry of a package in `spec.packages`. */
function entryOf({ kind, repository, version, name, spec }: PackageRoot): JsonObject {
  return {
    [kind!.toLowerCase()]: repository,
    version: rootVersionText(version),
    ...(name !== undefined && { name }),
    ...(Object.keys(spec).length > 0 && { spec }),
  };
}

function writtenText({ files, existing }: ImportValue, { write }: Args): string {
  const names = andList(files.map(({ file }) => file));
  if (write) return `wrote ${names}`;
  if (existing === undefined) return `would write ${names} (--no-write)`;
  return `would write nothing: \`${existing}\` is there already (--no-write)`;
}

function nextSteps({ undigested, lockfile }: ImportedCluster, { from, write }: Args): string[] {
  const are = write ? 'are' : 'would be';
  const missing = `${undigested} of ${lockfile.packages.length} packages ${are} locked without a digest`;
  const reason =
    from === undefined
      ? ', which a dump does not tell: `import … --from registry` reads them, and so does `xpkg-resolve resolve`'
      : ': see above why';
  return [
    ...(undigested === 0 ? [] : [`${missing}${reason}`]),
    `${write ? '' : 'with these files, '}\`xpkg-resolve resolve\` says whether it fits together, and writes rendered/`,
  ];
}
