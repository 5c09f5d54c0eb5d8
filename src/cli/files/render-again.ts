import { resolve } from 'node:path';
import { workingPlace } from './lock-file.js';
import type { BundleFolder } from './rendered-folder.js';
import { InputError } from '../../base/errors.js';
import { writeTransaction } from '../../base/files/transaction.js';
import { andList } from '../../base/messages.js';
import { type Target, targetFor } from '../../crossplane/releases/target.js';
import type { Lockfile } from '../../project/lockfile/lockfile.js';
import type { Mismatch } from '../../project/lockfile/mismatch.js';
import { acceptanceProblems } from '../../project/manifests/acceptance.js';
import { recordedFlags, type RenderRecord } from '../../project/manifests/render-record.js';
import { render, type Rendering } from '../../project/manifests/render.js';
import type { RunIo } from '../terminal/io.js';

/** Rendering settings from flags; undefined if the flag was not given. */
type RenderArgs = Omit<RenderRecord, 'crossplane'>;

export interface RenderedAgain {
  readonly rendering: Rendering;
  /** Flags that are kept from the last rendering. */
  readonly keptFlags: string;
}

/**
 * Renders a lockfile with the settings of the flags, else with those of the manifests in `folder`,
 * which is undefined if none are written. `target` is the release of a flag.
 */
export function renderAgain(
  lockfile: Lockfile,
  given: RenderArgs,
  folder: BundleFolder | undefined,
  target?: Target,
): RenderedAgain {
  const record = folder?.record ?? {};
  const recorded =
    target || record.crossplane === undefined ? undefined : targetFor(record.crossplane);
  const kept = keptSettings(given, { ...record, crossplane: recorded?.version });
  const release = target ?? recorded;
  const inputs = folder === undefined ? lockfile.inputs : folder.inputsOf(lockfile);
  const rendering = render(
    { ...lockfile, inputs },
    {
      target: release,
      pin: given.pin ?? kept.pin,
      applyLock: given.applyLock ?? kept.applyLock,
      split: given.split ?? kept.split,
      argocd: given.argocd ?? kept.argocd,
      syncOptions: given.syncOptions ?? kept.syncOptions,
      layout: given.layout ?? kept.layout,
      name: given.name ?? kept.name,
      fluxSource: given.fluxSource ?? kept.fluxSource,
      fluxPath: given.fluxPath ?? kept.fluxPath,
    },
  );
  if (release !== undefined)
    refuseRejectedPackages(lockfile, rendering, release, target === undefined);
  return { rendering, keptFlags: recordedFlags(kept) };
}

/** Returns the settings that are kept from the last rendering; another layout keeps few of them. */
function keptSettings(given: RenderArgs, record: RenderRecord): RenderRecord {
  const recordedUnlessGiven = <K extends keyof RenderArgs>(name: K) =>
    given[name] === undefined ? record[name] : undefined;
  const isSameLayout = (given.layout ?? record.layout) === record.layout;
  const isArgocd = (given.argocd ?? record.argocd) === true;
  return {
    pin: recordedUnlessGiven('pin'),
    applyLock: recordedUnlessGiven('applyLock'),
    crossplane: record.crossplane,
    layout: recordedUnlessGiven('layout'),
    ...(isSameLayout && {
      split: recordedUnlessGiven('split'),
      argocd: recordedUnlessGiven('argocd'),
      syncOptions: isArgocd ? recordedUnlessGiven('syncOptions') : undefined,
      name: recordedUnlessGiven('name'),
      fluxSource: recordedUnlessGiven('fluxSource'),
      fluxPath: recordedUnlessGiven('fluxPath'),
    }),
  };
}

/** Throws if the release does not accept the locked packages. */
function refuseRejectedPackages(
  lockfile: Lockfile,
  { bundle, lock }: Rendering,
  target: Target,
  asBefore: boolean,
): void {
  const problem = acceptanceProblems({ lockfile, target, objects: bundle.objects, lock })[0];
  if (problem === undefined) return;
  throw new InputError(
    `what is locked for Crossplane ${lockfile.crossplane} does not fit ${target.version}: ${problem.message}`,
    {
      hint: asBefore
        ? `the bundle was rendered with \`--crossplane ${target.version}\`; \`xpkg-resolve render --crossplane ${lockfile.crossplane}\` renders it for what is locked`
        : `run \`xpkg-resolve resolve --crossplane ${target.version}\``,
    },
  );
}

/** Returns where the rendered manifests differ from what the lockfile renders. */
export function bundleMismatches(folder: BundleFolder, lockfile: Lockfile): readonly Mismatch[] {
  try {
    return folder.mismatches(renderAgain(lockfile, {}, folder).rendering);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    const text = `not what the lockfile renders, which is nothing: ${error.message}`;
    return [{ kind: 'bundle', file: folder.named, text }];
  }
}

interface Outputs {
  readonly lock: {
    /** Path as the user wrote it. */
    readonly named: string;
    /** New text; undefined if the lockfile is only read. */
    readonly text: string | undefined;
    /** Present text of the file; undefined if it does not exist. */
    readonly before: string | undefined;
  };
  readonly rendering: Rendering;
  /** undefined if no manifests are written. */
  readonly folder: BundleFolder | undefined;
  /** New texts of the user's files, by path as the user wrote it. */
  readonly unsaved?: ReadonlyMap<string, string> | undefined;
  /** False if nothing is written; the sentence then states what would be. */
  readonly write?: boolean | undefined;
}

/** Writes lockfile, rendered manifests and edits, all or nothing. Returns a sentence about them, if any. */
export async function writeOutputs(
  { lock, rendering, folder, unsaved = new Map(), write = true }: Outputs,
  io: RunIo,
): Promise<string | undefined> {
  const { named, text, before } = lock;
  const isStale = text !== undefined && text !== before;
  const own = isStale ? [{ path: resolve(io.cwd, named), content: text }] : [];
  const bundle = folder?.changesTo(rendering) ?? [];
  const { written, removed } = folder?.summarizedChanges(rendering) ?? { written: [], removed: [] };
  const isCurrent = folder !== undefined && written.length + removed.length === 0;
  const edits = [...unsaved].map(([path, content]) => ({ path: resolve(io.cwd, path), content }));
  if (write) await writeTransaction([...edits, ...own, ...bundle], workingPlace(io));
  const changed = [...unsaved.keys(), ...own.map(() => named), ...written];
  const upToDate = [
    ...(text === undefined || isStale ? [] : [named]),
    ...(isCurrent ? [`${folder.named}/`] : []),
  ];
  const clauses = [
    ...clause(write ? 'wrote ' : 'would write ', changed),
    ...clause(write ? 'removed ' : 'would remove ', removed),
    ...clause('', upToDate, upToDate.length === 1 ? ' is up to date' : ' are up to date'),
  ];
  return clauses.length > 0 ? clauses.join('; ') : undefined;
}

/** Throws if rendered manifests would overwrite the lockfile. */
export function refuseInBundle(
  lock: string,
  { rendering, folder }: Pick<Outputs, 'rendering' | 'folder'>,
  { cwd }: Pick<RunIo, 'cwd'>,
): void {
  const isLockInFolder = folder
    ?.changesTo(rendering)
    .some(({ path }) => path === resolve(cwd, lock));
  if (isLockInFolder !== true) return;
  throw new InputError(`\`--lock ${lock}\` is a file of the bundle, which would take its place`, {
    hint: 'name a file outside of the folder of `--out`',
  });
}

function clause(before: string, files: readonly string[], after = ''): string[] {
  return files.length === 0 ? [] : [`${before}${andList(files)}${after}`];
}

/** Returns notes about a rendering, one for each line. */
export function renderingNotes(
  { rendering, keptFlags }: RenderedAgain,
  { out, write = true }: { readonly out: string; readonly write?: boolean | undefined },
): string[] {
  const warnings = [...rendering.warnings, ...(write ? rendering.leftOut : [])];
  return [
    ...warnings.map((warning) => `warning: ${warning}`),
    ...rendering.bundle.skips.map(
      (reason) => `note: every package has \`skipDependencyResolution: true\`: ${reason}`,
    ),
    ...(keptFlags === ''
      ? []
      : [`note: \`${out}\` is rendered with \`${keptFlags}\`, as it was before`]),
  ];
}
