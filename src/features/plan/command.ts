import { readdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { lockedAt, type PlanEnds } from './intermediate-versions.js';
import type { Between } from './journey.js';
import {
  noPlanLines,
  planDocument,
  planLines,
  planMarkdown,
  planOutput,
  type PlanValue,
} from './output.js';
import { type LockfilePlan, plan } from './plan.js';
import { PLAN_PAGE, planCommands, renderPlan, scriptCommands, STEP_FILES } from './render-plan.js';
import { byCodePoint } from '../../base/collections.js';
import { InputError } from '../../base/errors.js';
import { shellWord } from '../../base/escape.js';
import { isAbsent } from '../../base/files/file-system.js';
import { writeTransaction } from '../../base/files/transaction.js';
import { outputFlag, pinFlags, writeFlag } from '../../cli/arguments/common-flags.js';
import { acceptUnknownFlag, requireKnownRelease } from '../../cli/arguments/target-flag.js';
import { lockedPackage, notLockedError } from '../../cli/arguments/package-names.js';
import { extraManifestsIn, workingPlace } from '../../cli/files/lock-file.js';
import { requireNamedLock } from '../../cli/files/named-lock.js';
import { type ArgsOf, defineCommand, type Flags, OtherResult } from '../../cli/kit/command.js';
import { isOciPath } from '../../cli/sources/oci-path.js';
import type { RegistryArgs } from '../../cli/sources/registries.js';
import { openSources, sourceFlags } from '../../cli/sources/source-flags.js';
import type { RunIo } from '../../cli/terminal/io.js';
import { withProgress } from '../../cli/terminal/progress.js';
import { documentParser } from '../../crossplane/package-yaml/document-pair.js';
import { isUpboundBuild, type Target, targetFor } from '../../crossplane/releases/target.js';
import type { LockedPackage, Lockfile } from '../../project/lockfile/lockfile.js';
import type { Pin } from '../../project/manifests/package-object.js';
import { noStats } from '../../resolver/driver/read-stats.js';
import type { PackageSource } from '../../sources/package-source.js';
import type { RenderValue } from '../render/output.js';
import { lockSide } from '../diff/command.js';

type Ends = PlanEnds & { readonly source: () => Promise<PackageSource> };

type AcceptArgs = ArgsOf<typeof acceptUnknownFlag>;

/** Throws an `InputError` for a release that no plan may go to: its rules are a guess. */
function refuseGuessedRelease(version: string, args: AcceptArgs): void {
  const target = targetFor(version)!;
  requireKnownRelease(target, args);
  if (target.knowledge.state !== 'inferred' || isUpboundBuild(target)) return;
  throw new InputError(
    `the rules of Crossplane ${version} are inferred from its neighbors, and a plan does not rest on that`,
    { hint: 'resolve for a release that was tested or read: `xpkg-resolve releases` lists them' },
  );
}

/** Parses `--via`; undefined without the flag. */
async function stopovers(
  texts: readonly string[] | undefined,
  ends: Ends,
  args: AcceptArgs,
): Promise<Between | undefined> {
  if (texts === undefined) return undefined;
  const releases: Target[] = [];
  const packages: LockedPackage[] = [];
  for (const text of texts) {
    const at = text.lastIndexOf('@');
    const [name, version] = [text.slice(0, Math.max(at, 0)), text.slice(at + 1)];
    if (name === '' || version === '') {
      throw new InputError(`\`--via ${text}\` names no version`, {
        hint: 'write `--via SOURCE@VERSION` or `--via crossplane@VERSION`',
      });
    }
    const release = targetFor(version);
    if (name !== 'crossplane') packages.push(await packageAt(name, version, ends));
    else if (release !== undefined) {
      refuseGuessedRelease(release.version, args);
      releases.push(release);
    } else throw new InputError(`\`--via ${text}\` is not an exact version`);
  }
  return { releases, packages };
}

async function packageAt(
  name: string,
  version: string,
  { from, to, source }: Ends,
): Promise<LockedPackage> {
  const like = lockedPackage(name, to) ?? lockedPackage(name, from);
  // A package that is in neither lockfile needs its full name.
  if (like === undefined && !name.includes('/')) throw notLockedError(name, to);
  const repository = like?.repository ?? name;
  const found = await lockedAt({ repository, version }, { from, to }, await source());
  if (found !== undefined) return found;
  throw new InputError(
    `no source has \`${repository}\` at ${version} for Crossplane ${to.crossplane}`,
    { hint: `\`xpkg-resolve versions ${shellWord(repository)}\` lists what there is` },
  );
}

/** Folder in printed commands without `--out`. */
const DEFAULT_FOLDER = 'plan';

const lockfile = (describe: string) => ({ demandOption: true, describe }) as const;

const flags = {
  ...sourceFlags,
  via: {
    array: true,
    describe: 'Version to pass through, SOURCE@VERSION or crossplane@VERSION; may be repeated',
  },
  pin: {
    ...pinFlags.pin,
    describe: 'How objects name versions; locked: by tag, pulled by digest (default: tag)',
  },
  out: { describe: 'Folder to write the steps to, a folder each, as `render --plan` does' },
  ...writeFlag,
  ...acceptUnknownFlag,
  output: {
    ...outputFlag.output,
    choices: ['text', 'json', 'markdown'],
    describe: 'How to print the answer; markdown is for a pull request',
  },
} as const satisfies Flags;

export const planCommand = defineCommand({
  positionals: {
    old: lockfile('The lockfile of what is installed: a file, `REVISION:PATH` of git, or oci://…'),
    new: lockfile('The lockfile to get to, likewise'),
  },
  flags,
  examples: [
    ['$0 plan HEAD:xpkg.lock.yaml xpkg.lock.yaml', 'from what is committed to what is about to be'],
    ['$0 plan HEAD xpkg.lock.yaml --out plan', 'the same, each step as a folder to apply'],
    ['$0 plan xpkg.lock.yaml HEAD:xpkg.lock.yaml', 'the way back'],
  ],
  epilogue:
    'Steps are made one after the other; what a step applies may be applied in any order. With --from, packages are read to find CRD versions that must be migrated. Without it, sources are asked only where there is no order, for a version in between that would help.',
  run: async (args, io): Promise<PlanValue> => {
    const old = await requireNamedLock(args.old, args, io);
    const newer = await requireNamedLock(args.new, args, io);
    const stats = noStats();
    const kept = extraManifestsIn(newer.lockfile, newer.shown);
    const source = () => openSources(args, io, kept, { stats });
    const pin = args.pin ?? 'tag';
    const [from, to] = [old.lockfile, newer.lockfile];
    for (const { crossplane } of [from, to]) refuseGuessedRelease(crossplane, args);
    const answer = await withProgress(io, stats, async () => {
      const via = await stopovers(args.via, { from, to, source }, args);
      // A plan uses the network only if the user asks for it with `--from`.
      const sides = { ...args, schemas: true };
      const contents =
        args.from === undefined
          ? undefined
          : {
              old: await lockSide(old, sides, io),
              newer: await lockSide(newer, sides, io),
              parser: documentParser,
              concurrency: args.concurrency,
            };
      return plan(from, to, { pin, via, source, contents });
    });
    const folder = planFolder(args.out ?? DEFAULT_FOLDER);
    // The steps are written first: a plan that cannot be written is not printed.
    if (answer.status === 'planned' && args.out !== undefined) {
      await writePlanFolder(folder, answer, { pin, write: args.write }, io);
    }
    const found = answer.status === 'planned' ? answer : answer.between?.plan;
    return { answer, commands: found ? planCommands(found, { folder, pin }) : [] };
  },
  json: () => planOutput,
  text: ({ answer, commands }, { output }) => {
    if (answer.status !== 'planned') return [];
    return output === 'markdown' ? planMarkdown(answer, commands) : planLines(answer, commands);
  },
  notes: ({ answer }, { output }) =>
    answer.status === 'planned' || output === 'json' ? [] : noPlanLines(answer),
  closingNotes: ({ answer }, args) =>
    answer.status === 'planned' ? plannedNotes(answer, args) : [],
  exit: ({ answer: { status } }) => (status === 'planned' ? 'ok' : status),
});

function plannedNotes(
  { steps, notes }: LockfilePlan,
  { out, write, output }: ArgsOf<typeof flags>,
): string[] {
  const lines = notes.map((note) => `note: ${note}`);
  if (steps.length === 0) lines.push('nothing is to be done');
  if (out !== undefined) lines.push(`${write ? 'wrote' : 'would write'} ${planFolder(out)}/`);
  else if (output === 'text' && steps.length > 0) {
    lines.push(
      `\`--out ${DEFAULT_FOLDER}\` writes what the steps apply, and scripts of all commands`,
    );
  }
  return lines;
}

/** Returns the path of a folder without a slash at the end. */
function planFolder(named: string): string {
  return dirname(join(named, PLAN_PAGE));
}

/**
 * Writes a plan into a folder, all files or none, and deletes the files of an older plan. Returns
 * the paths of the files.
 */
async function writePlanFolder(
  named: string,
  plan: LockfilePlan,
  { pin, write }: { readonly pin: Pin; readonly write: boolean },
  io: RunIo,
): Promise<readonly string[]> {
  const commands = planCommands(plan, { folder: named, pin });
  const page = `\n${planMarkdown(plan, commands)}`;
  const files = renderPlan(plan, { commands: commands.map(scriptCommands), page, pin });
  const folder = resolve(io.cwd, named);
  const existing = await readdir(folder).catch((error: unknown) => {
    if (isAbsent(error)) return [];
    throw error;
  });
  const old = existing
    .filter((name) => /^\d{2,}$/.test(name))
    .flatMap((step) => STEP_FILES.map((name) => `${step}/${name}`));
  const names = new Set([...files.keys(), ...old, PLAN_PAGE]);
  const changes = Array.from(names, (name) => ({
    path: join(folder, name),
    content: files.get(name),
    replacesOnlyOwn: true,
  }));
  if (write) await writeTransaction(changes, workingPlace(io));
  return [...files.keys()].map((name) => `${named}/${name}`).sort(byCodePoint);
}

type StepsArgs = RegistryArgs &
  AcceptArgs & {
    readonly lock: string;
    /** Folder of the plan. */
    readonly plan: string;
    readonly old: string | undefined;
    readonly pin: Pin | undefined;
    readonly output: 'text' | 'json';
    readonly write: boolean;
  };

/** Writes the steps from another lockfile to this one, a folder for each step. */
export async function renderSteps(
  args: StepsArgs,
  lockfile: Lockfile,
  io: RunIo,
): Promise<RenderValue> {
  const old = args.old ?? committedLockfile(args);
  const before = await requireNamedLock(old, args, io);
  for (const { crossplane } of [before.lockfile, lockfile]) refuseGuessedRelease(crossplane, args);
  const pin = args.pin ?? 'tag';
  const answer = await plan(before.lockfile, lockfile, { pin });
  if (answer.status !== 'planned') {
    const hint = `hint: \`xpkg-resolve plan ${shellWord(old)} ${shellWord(args.lock)}\` looks for a version in between`;
    throw new OtherResult({
      json: () => planDocument({ answer, commands: [] }),
      notes: [...(args.output === 'json' ? [] : noPlanLines(answer)), hint],
      exit: answer.status,
    });
  }
  const folder = planFolder(args.plan);
  const files = await writePlanFolder(folder, answer, { pin, write: args.write }, io);
  for (const note of answer.notes) io.note(`note: ${note}`);
  const verb = args.write ? 'wrote' : 'would write';
  const text = `${verb} ${folder}/, the steps from ${before.shown}`;
  const note = args.output === 'json' ? undefined : text;
  return { status: 'rendered', crossplane: lockfile.crossplane, files, note };
}

/** Returns the committed version of the lockfile, the default of `--old`. */
function committedLockfile(args: StepsArgs): string {
  if (!isOciPath(args.lock) && !args.lock.startsWith('/')) return `HEAD:./${args.lock}`;
  throw new InputError('`--plan` needs to know what is installed', {
    hint: 'name its lockfile with `--old`: a file, `REVISION:PATH` of git, or `oci://…`',
  });
}
