import { contentMismatches, MAX_LISTED, reResolve } from './lock-mismatches.js';
import { byCodePoint, getOrCreate } from '../../base/collections.js';
import { type Digest, isDigest } from '../../base/digest.js';
import { InputError, type SourceError, valuesAndFailures } from '../../base/errors.js';
import type { JsonObject } from '../../base/json.js';
import { shortList } from '../../base/messages.js';
import { imageConfigsIn, rewrittenImage } from '../../crossplane/package-manager/image-config.js';
import { isRejection, judge } from '../../crossplane/packages/admission.js';
import {
  joinReference,
  parseReference,
  referenceRules,
} from '../../crossplane/packages/reference.js';
import { isSelected, releaseSelector } from '../../crossplane/releases/target-choice.js';
import { type Target, targetFor } from '../../crossplane/releases/target.js';
import type { Request } from '../../project/inputs/request.js';
import { type LockedPackage, lockedParts, type Lockfile } from '../../project/lockfile/lockfile.js';
import type { Mismatch } from '../../project/lockfile/mismatch.js';
import { bundleOf } from '../../project/manifests/bundle.js';
import { nameOf } from '../../project/manifests/object-names.js';
import { type CheckedPackage, SourceReader } from '../../resolver/driver/source-reader.js';
import { staleReasons } from '../../resolver/resolve/frozen.js';
import { movedTagMismatch, tagsIfAvailable } from '../../resolver/resolve/locked-tags.js';
import { clusterRefusals, SET_IN_INPUTS } from '../../resolver/resolve/to-lockfile.js';
import { type ProblemOptions, toProblem } from '../../resolver/resolve/to-problem.js';
import type { SelectedPackage } from '../../resolver/solver/search-result.js';
import type { PackageSource } from '../../sources/package-source.js';

export interface VerifyOptions extends Pick<
  ProblemOptions,
  'prereleases' | 'allowCycles' | 'compat'
> {
  readonly source: PackageSource;
  /** The requested Crossplane release or range; overrides the one of the request. */
  readonly crossplane?: string | undefined;
  /** Whether the lockfile may lack digests. */
  readonly allowUndigested?: boolean | undefined;
}

export interface Verification {
  readonly target: Target;
  /** Number of packages that were read. */
  readonly read: number;
  readonly mismatches: readonly Mismatch[];
  /** Failures of sources, whose packages could not be checked. */
  readonly failures: readonly SourceError[];
  readonly notes: readonly string[];
}

/**
 * Checks a lockfile against its sources and against the request.
 *
 * Nothing in the lockfile is trusted: package contents are read again, and the set is resolved
 * again from the locked versions alone. Without a request, the locked versions must still be
 * compatible.
 */
export async function verify(
  lockfile: Lockfile,
  request: Request | undefined,
  options: VerifyOptions,
): Promise<Verification> {
  const target = targetFor(lockfile.crossplane)!;
  const stale = staleInputMismatches(lockfile, request, target, options);
  const allowUndigested = options.allowUndigested ?? false;
  const context = { reader: SourceReader.of(options.source), target, allowUndigested };
  // The failure of one source does not stop the others.
  const { values: reads, failures } = await valuesAndFailures(
    lockfile.packages.map((locked) => readLocked(locked, context)),
  );
  const fetched = reads.filter((read): read is ReadEntry => read.fetched !== undefined);
  const checked = fetched.map((read) => checkContents(read, target, options));
  const mismatches = [
    ...stale,
    ...reads.flatMap((read) => read.mismatches),
    ...checked.flatMap((each) => each.mismatches),
  ];
  const notes = [...requestNotes(request, target, options), ...packageNotes(reads)];
  const common = { target, read: fetched.length, failures };
  if (fetched.length < lockfile.packages.length) {
    notes.push('whether the set fits together was not checked: not all of it could be read');
    return { ...common, mismatches, notes };
  }
  const checkedRequest = stale.length === 0 ? request : undefined;
  const selected = checked.flatMap((each) => each.selected);
  if (checkedRequest === undefined) {
    mismatches.push(...unfoundedSkipMismatches(lockfile, selected, target));
    if (lockfile.skipDependencyResolution.length > 0) {
      notes.push('dependencies were not checked: the lockfile breaks constraints on purpose');
    }
  }
  const derived = await reResolve(lockfile, fetched, { ...options, request: checkedRequest });
  return {
    ...common,
    mismatches: [...mismatches, ...derived.mismatches],
    notes: [...notes, ...derived.notes],
  };
}

type ReadEntry = LockedRead & { readonly fetched: CheckedPackage };

/** Returns notes on a missing request, a missing release, and an unknown release. */
function requestNotes(
  request: Request | undefined,
  target: Target,
  { crossplane }: VerifyOptions,
): string[] {
  const { version, warning } = target;
  const notes: string[] = [];
  if (request === undefined) {
    notes.push('nothing says what was asked for: the lockfile is held to its sources alone');
  } else if (crossplane === undefined && request.crossplane === undefined) {
    notes.push(`no Crossplane release is asked for: ${version}, as locked, is taken`);
  }
  return warning === undefined ? notes : [...notes, warning];
}

/** A note about more packages than this is shown once, with the number of packages. */
const MAX_EQUAL_NOTES = 3;

function packageNotes(reads: readonly LockedRead[]): string[] {
  const packagesOf = new Map<string, string[]>();
  for (const { locked, fetched, notes } of reads) {
    for (const note of [...(fetched?.notes ?? []), ...notes]) {
      getOrCreate(packagesOf, note, () => []).push(`${locked.repository} ${locked.version}`);
    }
  }
  return [...packagesOf].flatMap(([note, packages]) =>
    packages.length > MAX_EQUAL_NOTES
      ? [`${packages.length} packages: ${note}`]
      : packages.map((name) => `${name}: ${note}`),
  );
}

/** Returns why the lockfile is stale, as far as lockfile and request show it. */
function staleInputMismatches(
  lockfile: Lockfile,
  request: Request | undefined,
  target: Target,
  options: VerifyOptions,
): Mismatch[] {
  const stale: Mismatch[] = [];
  const selector = releaseSelector(request ?? {}, options.crossplane);
  if (selector !== undefined && !isSelected(target, selector)) {
    const text = 'the Crossplane release is not the one that is asked for';
    stale.push({ kind: 'input', text, locked: target.version, found: selector.text });
  }
  if (request === undefined) return stale;
  const reasons = staleReasons(lockfile, toProblem(request, [target], options), target);
  return [...stale, ...reasons.map((text): Mismatch => ({ kind: 'input', text }))];
}

/** Checks the contents of a package. `selected` is empty if the target rejects it. */
function checkContents(
  { locked, fetched }: ReadEntry,
  target: Target,
  { compat = false }: VerifyOptions,
): { readonly mismatches: Mismatch[]; readonly selected: SelectedPackage[] } {
  const { repository, version } = locked;
  const meta = judge(fetched.contents, target, { compat });
  if (!isRejection(meta)) {
    const mismatches = contentMismatches(locked, fetched, meta);
    return { mismatches, selected: [{ repository, version, meta }] };
  }
  const first = meta.findings.find(({ severity }) => severity === 'error');
  const text = `Crossplane ${target.version} refuses it: ${first?.message ?? 'it is no package'}`;
  return { mismatches: [{ kind: 'content', repository, version, text }], selected: [] };
}

/** Returns mismatches for `skipDependencyResolution` reasons that no package supports. */
function unfoundedSkipMismatches(
  { skipDependencyResolution: reasons }: Lockfile,
  selected: readonly SelectedPackage[],
  target: Target,
): Mismatch[] {
  if (reasons.length === 0 || (reasons.length === 1 && reasons[0] === SET_IN_INPUTS)) return [];
  const refused = clusterRefusals(selected, target);
  const unfounded = reasons.filter((reason) => !refused.includes(reason));
  return unfounded.map((reason) => ({
    kind: 'content',
    text: '`skipDependencyResolution` has a reason that no package gives',
    locked: reason,
  }));
}

/** A locked package and its current state in its source. */
interface LockedRead {
  readonly locked: LockedPackage;
  /** The locked bytes; undefined: no source has them. */
  readonly fetched: CheckedPackage | undefined;
  readonly mismatches: readonly Mismatch[];
  /** Checks that were not possible. */
  readonly notes: readonly string[];
}

interface ReadContext {
  readonly reader: SourceReader;
  readonly target: Target;
  /** Whether a lockfile may lack digests that its sources have. */
  readonly allowUndigested: boolean;
}

/** Reads the current package of a locked version, and the locked bytes by digest if they differ. */
async function readLocked(locked: LockedPackage, context: ReadContext): Promise<LockedRead> {
  const { repository, version, digest } = locked;
  const parts = lockedParts(locked);
  const { reader, target } = context;
  const result = (fetched: CheckedPackage | undefined, findings: Partial<LockedRead> = {}) => {
    return { locked, fetched, mismatches: [], notes: [], ...findings };
  };
  const goneMismatch: Mismatch = {
    kind: 'gone',
    repository,
    version,
    text: 'no source has what was locked',
    locked: digest ?? version,
  };
  const missing = result(undefined, { mismatches: [goneMismatch] });
  const current = await reader.fetch({ repository, version, parts }, target);
  if (digest === undefined) {
    if (current === undefined) return missing;
    return result(current, digestFindings(locked, current.digest, context));
  }
  if (current?.digest === digest) return result(current);
  if (current !== undefined && current.digest === undefined) {
    const note = 'its source does not say its digest: bytes were not compared';
    return result(current, { notes: [note] });
  }
  if (isDigest(version)) return missing;
  const byDigest = await reader.fetch({ repository, version: digest, parts }, target);
  if (current !== undefined) {
    const isStored = byDigest !== undefined;
    const moved = movedTagMismatch({ repository, version, digest }, current.digest!, isStored);
    return result(byDigest, { mismatches: [moved, ...(isStored ? [] : missing.mismatches)] });
  }
  return byDigest === undefined ? missing : result(byDigest, await tagFindings(locked, context));
}

type Findings = Pick<LockedRead, 'mismatches'> | Pick<LockedRead, 'notes'>;

function digestFindings(
  { repository, version }: LockedPackage,
  found: Digest | undefined,
  { allowUndigested }: ReadContext,
): Findings {
  if (found === undefined || allowUndigested) {
    return { notes: ['the lockfile does not say its digest: bytes were not compared'] };
  }
  const text = 'the lockfile does not say its digest, and its source does';
  return { mismatches: [{ kind: 'content', repository, version, text, locked: 'nothing', found }] };
}

/** Reports a missing tag of locked bytes that still exist, or a source without tags. */
async function tagFindings(
  { repository, version, digest }: LockedPackage,
  { reader, target }: ReadContext,
): Promise<Findings> {
  if ((await reader.tags(repository, target)) === undefined) {
    return { notes: [`its source keeps no tags: whether \`${version}\` moved was not checked`] };
  }
  const text = `the tag \`${version}\` is gone; what it named is still there`;
  return { mismatches: [{ kind: 'gone', repository, version, text, locked: digest }] };
}

/**
 * Returns notes on published tags that no cluster can install while a locked tag is pinned: they
 * start with the locked tag, and no ImageConfig with a longer prefix excepts them.
 */
export async function longerTags(lockfile: Lockfile, source: PackageSource): Promise<string[]> {
  const target = targetFor(lockfile.crossplane)!;
  const configs = imageConfigsIn(
    pinnedObjects(lockfile, target).map((object) => ({ object, origin: { file: 'the bundle' } })),
  );
  const rules = { ...referenceRules(target), strict: false };
  const blockingConfig = (image: string) => {
    const { image: pulled, rewrittenBy } = rewrittenImage(image, configs, target);
    return parseReference(pulled, rules) === undefined ? rewrittenBy : undefined;
  };
  const inputNames = new Set(lockfile.objects.map(nameOf));
  const tagged = lockfile.packages.filter(({ version }) => !isDigest(version));
  const notes = tagged.map(async ({ repository, version }) => {
    const tags = (await tagsIfAvailable(repository, source, target)) ?? [];
    const longer = tags
      .filter((tag) => tag.startsWith(version) && tag !== version)
      .filter((tag) => blockingConfig(joinReference(repository, tag)) !== undefined)
      .sort(byCodePoint);
    if (longer.length === 0) return [];
    const { name } = blockingConfig(joinReference(repository, longer[0]!))!;
    const advice = inputNames.has(name)
      ? `ImageConfig \`${name}\` is yours, and one with a longer prefix lets such tags through`
      : '`xpkg-resolve resolve --pin locked` lets such tags through';
    const quoted = longer.map((tag) => `\`${tag}\``);
    return [
      `while \`${joinReference(repository, version)}\` is pinned, no cluster can install ${shortList(quoted, MAX_LISTED)}, ` +
        `published, and beginning as it does: ${advice}`,
    ];
  });
  return (await Promise.all(notes)).flat();
}

/** Returns the pinning objects; empty if rendering fails, which other checks report. */
function pinnedObjects(lockfile: Lockfile, target: Target): readonly JsonObject[] {
  try {
    return bundleOf(lockfile, target, 'locked').kept;
  } catch (error) {
    if (error instanceof InputError) return [];
    throw error;
  }
}
