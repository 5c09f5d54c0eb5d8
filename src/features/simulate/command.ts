import { simulationLines, simulationOutput, type SimulationValue } from './output.js';
import {
  type SimulatedInput,
  type InitialState,
  compareWithLockfile,
  endsHealthy,
  simulate,
} from './simulate.js';
import { InputError } from '../../base/errors.js';
import {
  flagConflictError,
  mustBeWhole,
  unusedFlagError,
} from '../../cli/arguments/argument-errors.js';
import { lockFlag, outputFlag, pinFlags, switchFlag } from '../../cli/arguments/common-flags.js';
import {
  inputFlags,
  readInputsIfAny,
  readRequestAndTexts,
} from '../../cli/arguments/input-flags.js';
import { refsArgument } from '../../cli/arguments/resolve-flags.js';
import {
  extraManifestsIn,
  MAX_LOCKFILE_BYTES,
  readRequiredLock,
} from '../../cli/files/lock-file.js';
import { type ArgsOf, defineCommand } from '../../cli/kit/command.js';
import { openSources, sourceFlags } from '../../cli/sources/source-flags.js';
import type { RunIo } from '../../cli/terminal/io.js';
import { withProgress } from '../../cli/terminal/progress.js';
import type { ClusterDump } from '../../crossplane/package-manager/cluster-dump.js';
import type { KeptObject } from '../../crossplane/package-manager/image-config.js';
import { chooseTargets, releaseSelector } from '../../crossplane/releases/target-choice.js';
import type { Target } from '../../crossplane/releases/target.js';
import { findInputFiles } from '../../project/inputs/input-files.js';
import { EMPTY_REQUEST, type Request } from '../../project/inputs/request.js';
import type { Lockfile } from '../../project/lockfile/lockfile.js';
import { parseLockfile } from '../../project/lockfile/parse-lockfile.js';
import { DUMP_COMMAND } from '../cluster/installed-cluster.js';
import { dumpText, readDumps } from '../cluster/read-dump-command.js';

const DEFAULT_SEED = 1;

const flags = {
  ...sourceFlags,
  ...inputFlags,
  crossplane: { describe: 'Crossplane release of the cluster' },
  ...lockFlag(),
  prerelease: {
    array: true,
    describe: 'Let the range of this root admit prereleases; may be repeated',
  },
  ...outputFlag,
  locked: switchFlag('Roots enter at their locked versions, not at the newest that they admit'),
  all: switchFlag('Apply everything that is locked, as rendered, not the roots alone'),
  pin: { ...pinFlags.pin, describe: 'With --all: how it was rendered (default: tag)' },
  prune: switchFlag('With --all and --onto: delete what is no longer locked'),
  onto: {
    describe:
      'What the cluster has before: a lockfile that was applied, or a dump (file, folder, or `-`)',
  },
  'onto-pin': {
    ...pinFlags.pin,
    describe: 'With --onto LOCKFILE: how that was rendered (default: tag)',
  },
  orders: {
    type: 'number',
    default: 0,
    describe: 'Try so many other orders of arrival, too, and tell whether the end differs',
  },
  seed: {
    type: 'number',
    describe: `Draw other orders than with another seed (default: ${DEFAULT_SEED})`,
  },
  compare: switchFlag('Show the end against the lockfile'),
  upgrades: switchFlag('As with --enable-dependency-version-upgrades of Crossplane'),
  downgrades: switchFlag('As with --enable-dependency-version-downgrades, which implies the other'),
  'exit-code': switchFlag(
    'Exit 6 if it ends stuck, otherwise than locked, or differently by order',
  ),
} as const;

type Args = ArgsOf<typeof flags & typeof refsArgument>;

export const simulateCommand = defineCommand({
  positionals: refsArgument,
  flags,
  examples: [
    ['$0 simulate --orders 20', 'what becomes of the roots of xpkg.yaml, were they all you apply'],
    ['$0 simulate --all --onto old.lock.yaml', 'what becomes of a cluster at the next apply'],
  ],
  epilogue:
    'The package manager of a Crossplane release, as a model: nothing is installed, and no ' +
    'cluster is asked. Registries are asked for tags and packages, as it would.',
  run: async (args, io): Promise<SimulationValue> => {
    const { upgrades, downgrades, orders, seed = DEFAULT_SEED } = args;
    mustBeWhole('--orders', orders, 0);
    mustBeWhole('--seed', seed, 0);
    validateFlags(args);
    const needsLock = args.locked || args.all || args.compare;
    const lockfile = needsLock ? (await readRequiredLock(args, io)).lockfile : undefined;
    const before = await clusterBefore(args, io);
    const request = await requestOf(args, before, io);
    const target = targetOf(args, { request, lockfile, before }, io);
    const kept = [
      ...(request?.kept ?? []),
      ...(before?.manifests ?? []),
      ...(args.all ? extraManifestsIn(lockfile!, args.lock) : []),
    ];
    const source = await openSources(args, io, kept);
    const options = {
      source,
      target,
      before: before?.state,
      flags: { upgrades: upgrades || downgrades, downgrades },
      orders,
      seed,
      timeout: args.timeout,
    };
    const applied: SimulatedInput =
      request === undefined
        ? { all: lockfile!, pin: args.pin ?? 'tag', prune: args.prune }
        : { roots: request, locked: args.locked ? lockfile : undefined };
    const simulation = await withProgress(io, source.stats, () => simulate(applied, options));
    const disagreements = args.compare
      ? compareWithLockfile(simulation.settled, lockfile!, target)
      : undefined;
    return { ...simulation, orders, disagreements };
  },
  json: () => simulationOutput,
  text: simulationLines,
  notes: (value) => value.notes.map((note) => `note: ${note}`),
  exit: (value, args) => (args.exitCode && !isAsExpected(value) ? 'findings' : 'ok'),
});

/** Whether every order ends healthy, in the same state, and as locked. */
function isAsExpected({ settled, target, otherEnds, disagreements = [] }: SimulationValue) {
  return endsHealthy(settled, target) && otherEnds.length + disagreements.length === 0;
}

/** Throws for flags without effect, and for flags that contradict `--all`. */
function validateFlags(args: Args): void {
  const { all, onto, prune, orders } = args;
  if (args.pin !== undefined && !all) throw unusedFlagError('--pin', '`--all`');
  if (prune && !all) throw unusedFlagError('--prune', '`--all`');
  if (prune && onto === undefined) throw unusedFlagError('--prune', '`--onto`');
  if (args.ontoPin !== undefined && onto === undefined) {
    throw unusedFlagError('--onto-pin', '`--onto`');
  }
  if (args.seed !== undefined && orders === 0) throw unusedFlagError('--seed', '`--orders`');
  if (!all) return;
  if (args.locked) throw flagConflictError('--all', '--locked');
  if (args.file !== undefined) throw flagConflictError('--all', '--file');
  if (args.prerelease !== undefined) throw flagConflictError('--all', '--prerelease');
  if (args.strict) throw flagConflictError('--all', '--strict');
  const [ref] = args.refs ?? [];
  if (ref !== undefined) throw flagConflictError('--all', ref);
}

/** Returns the request with the roots to apply; undefined with `--all`. */
async function requestOf(
  args: Args,
  before: ClusterBefore | undefined,
  io: RunIo,
): Promise<Request | undefined> {
  if (args.all) return undefined;
  const options = { refs: args.refs, skip: [args.lock] };
  const read = before === undefined ? readRequestAndTexts : readInputsIfAny;
  // `--onto` allows a run without any input file.
  const request = (await read(args, io, options))?.request ?? EMPTY_REQUEST;
  return { ...request, prereleases: [...(request.prereleases ?? []), ...(args.prerelease ?? [])] };
}

/** Inputs that may name the release. */
interface ReleaseInputs {
  readonly request: Request | undefined;
  readonly lockfile: Lockfile | undefined;
  readonly before: ClusterBefore | undefined;
}

/** Returns the requested release, or the one of the cluster, or the locked one. */
function targetOf(args: Args, { request, lockfile, before }: ReleaseInputs, io: RunIo): Target {
  const requested = releaseSelector(request ?? {}, args.crossplane);
  const known = before?.crossplane ?? lockfile?.crossplane;
  const file = before?.crossplane === undefined ? args.lock : args.onto!;
  const knownRelease = known === undefined ? undefined : { text: known, origin: { file } };
  const { groups, notes, warnings } = chooseTargets(requested ?? knownRelease);
  for (const note of notes) io.note(`note: ${note}`);
  if (requested === undefined && lockfile !== undefined && lockfile.crossplane !== known) {
    const taken = `on Crossplane ${known}, by \`${file}\`: that is what the cluster has`;
    const other = `\`${args.lock}\` is for ${lockfile.crossplane}`;
    io.note(`note: ${taken}; ${other}, which \`--crossplane ${lockfile.crossplane}\` takes`);
  }
  for (const warning of warnings) io.note(`warning: ${warning}`);
  return groups[0]![0]!;
}

/** A lockfile begins with `version`; objects of a cluster have `apiVersion`. */
const LOCKFILE_FORMAT = /^version: *\d/m;

/** Number of characters that are read to detect the kind of a file. */
const HEAD_LENGTH = 64 * 1024;

/** The state of the cluster that `--onto` names. */
interface ClusterBefore {
  readonly state: InitialState;
  /** undefined: a dump lacks the release. */
  readonly crossplane: string | undefined;
  readonly manifests: readonly KeptObject[];
}

/** Reads what `--onto` names: a lockfile, or dumps as `drift` reads them. */
async function clusterBefore(
  { onto, ontoPin: pin }: Args,
  io: RunIo,
): Promise<ClusterBefore | undefined> {
  if (onto === undefined) return undefined;
  const files = await findInputFiles({ files: [onto], cwd: io.cwd });
  const isFolder = files.every(({ folder }) => folder !== undefined);
  const file = isFolder ? undefined : await withHead(dumpText(onto, io));
  if (file !== undefined && LOCKFILE_FORMAT.test(file.head)) {
    const lockfile = await lockfileIn(file.text, onto);
    const manifests = extraManifestsIn(lockfile, '--onto');
    return { state: { lockfile, pin }, crossplane: lockfile.crossplane, manifests };
  }
  const read = file && (() => file.text);
  const dump = requireRevisions(await readDumps({ dump: onto }, io, { read, isEnough }), onto);
  const { crossplane, extraManifests: manifests } = dump;
  if (pin === undefined) return { state: { dump }, crossplane: crossplane?.version, manifests };
  throw unusedFlagError('--onto-pin', 'a lockfile at `--onto`: a dump says how packages are named');
}

/** Throws if a package of a dump lacks its revision, to which Lock rows and objects belong. */
function requireRevisions(dump: ClusterDump, named: string): ClusterDump {
  const { packages, revisions, lock } = dump;
  const names = new Set(revisions.map(({ name }) => name));
  const lacksAllRevisions = revisions.length === 0 && (lock?.rows.length ?? 0) > 0;
  const incomplete = packages.find(
    ({ currentRevision }) =>
      lacksAllRevisions || (currentRevision !== undefined && !names.has(currentRevision)),
  );
  if (incomplete === undefined) return dump;
  const { kind, name, currentRevision } = incomplete;
  const revision =
    currentRevision === undefined ? 'its revision' : `its revision \`${currentRevision}\``;
  throw new InputError(`\`${named}\` has the ${kind} \`${name}\`, and not ${revision}`, {
    hint: `\`${DUMP_COMMAND}\` prints what is wanted; a lockfile that was applied will do, too`,
  });
}

/** A cluster without packages may still have Lock rows, which influence later steps. */
function isEnough({ packages, revisions, lock, extraManifests: kept }: ClusterDump): boolean {
  return packages.length + revisions.length + kept.length > 0 || lock !== undefined;
}

/** Returns the beginning of a text and the whole text, because a pipe cannot be read twice. */
async function withHead(chunks: AsyncGenerator<string>) {
  let head = '';
  while (head.length < HEAD_LENGTH) {
    const { done, value } = await chunks.next();
    if (done === true) break;
    head += value;
  }
  return { head, text: all() };

  async function* all(): AsyncGenerator<string> {
    yield head;
    yield* chunks;
  }
}

async function lockfileIn(chunks: AsyncIterable<string>, named: string) {
  let text = '';
  for await (const chunk of chunks) {
    text += chunk;
    if (text.length > MAX_LOCKFILE_BYTES) {
      throw new InputError('is larger than any lockfile', { origin: { file: named } });
    }
  }
  return parseLockfile(text, named);
}
