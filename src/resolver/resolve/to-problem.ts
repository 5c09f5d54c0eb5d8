import { type PolicyOptions, policyRules } from './policy-rules.js';
import { groupBy } from '../../base/collections.js';
import { isDigest } from '../../base/digest.js';
import { InputError, type Origin } from '../../base/errors.js';
import { shellWord } from '../../base/escape.js';
import { parseConstraint, type Selector } from '../../crossplane/constraints/constraint.js';
import { refusedObjects } from '../../crossplane/packages/api-rules.js';
import { readDependency } from '../../crossplane/packages/dependencies.js';
import { ownedObjects } from '../../crossplane/packages/owned-objects.js';
import type { Repository } from '../../crossplane/packages/package.js';
import {
  isRepository,
  isTag,
  KNOWN_REGISTRIES,
  repositoryProblem,
} from '../../crossplane/packages/reference.js';
import { versionOf } from '../../crossplane/releases/target-choice.js';
import type { Target } from '../../crossplane/releases/target.js';
import {
  type LocalRoot,
  type PackageRoot,
  replacedRepository,
  type Request,
  type Root,
  rootVersionText,
  type VersionRule,
} from '../../project/inputs/request.js';
import { lockGraph } from '../../project/lockfile/lock-graph.js';
import type { Lockfile } from '../../project/lockfile/lockfile.js';
import { checkKindIsServed } from '../../project/manifests/extra-manifests.js';
import { checkSpecFields } from '../../project/manifests/object-template.js';
import type { PackageSource } from '../../sources/package-source.js';
import type { Problem, RootRequirement, Rule } from '../solver/problem.js';

/** Options in addition to the request. */
export interface ProblemOptions extends PolicyOptions {
  /** The request has edits that are not written: warnings are about what would be. */
  readonly isUnsaved?: boolean | undefined;
  /** Whether the lockfile records index states. It also does if the old lockfile has them. */
  readonly lockIndexes?: boolean | undefined;
  /**
   * The lockfile records prefixes of published tags that begin with the locked tag, as prefix
   * exceptions of pins. `false` removes them; undefined keeps those of the old lockfile.
   */
  readonly longerTags?: boolean | undefined;
  /** The preferred one among versions that are not locked. */
  readonly prefer?: 'newest' | 'lowest' | undefined;
  /** The old lockfile: its object names stay, and its versions are preferred. */
  readonly lockfile?: Lockfile | undefined;
  /** Repositories to update: their locked versions are not preferred. */
  readonly unlock?: ReadonlySet<Repository> | 'all' | undefined;
  /** Packages that must be at a version, in addition to all other constraints. */
  readonly pins?: readonly VersionRule[] | undefined;
  readonly prereleases?: readonly Repository[] | undefined;
  readonly allowCycles?: boolean | undefined;
  readonly compat?: boolean | undefined;
  readonly maxConflicts?: number | undefined;
  /** Notes may cause reads of versions that the answer does not need. For fast sources. */
  readonly readsForNotes?: boolean | undefined;
}

const MAX_CONFLICTS = 1_000_000;

/** Converts a request to a problem for the solver. All `targets` must share one set of rules. */
export function toProblem(
  request: Request,
  targets: readonly Target[],
  options: ProblemOptions,
): Problem {
  const { prereleases = [], unlock = new Set(), pins = [] } = options;
  checkRepositoryNames('prereleases', prereleases);
  if (unlock !== 'all') checkRepositoryNames('unlock', unlock);
  const packages = unlock === 'all' ? [] : (options.lockfile?.packages ?? []);
  const locked = packages.filter(({ repository }) => unlock === 'all' || !unlock.has(repository));
  for (const { repository } of pins) checkRepositoryNames('pins', [repository]);
  const target = targets[0]!;
  for (const { object, origin } of request.kept) checkKindIsServed(object, target, origin);
  const roots = request.roots.filter((root): root is PackageRoot => root.root === 'package');
  return {
    dialect: target.rules.dialect,
    skipsIncompleteTags: target.rules.skipsIncompleteTags,
    releases: targets.map(versionOf),
    roots: [
      ...request.roots.flatMap((root) => requirementsOf(root, target, options)),
      ...pins.map((pin) => pinRequirement(pin, target, request, options)),
      ...(options.rules ?? []).flatMap(({ enforcedBy }): RootRequirement[] =>
        enforcedBy === undefined ? [] : [{ requires: 'crossplane', ...enforcedBy }],
      ),
    ],
    overrides: new Map(request.overrides.map((rule) => [rule.repository, toRule(rule, target)])),
    exclude: new Map(
      Array.from(
        groupBy(request.exclude, (rule) => rule.repository),
        ([repository, rules]) => [repository, rules.map((rule) => toRule(rule, target))],
      ),
    ),
    replace: new Map(request.replace.map((rule) => [rule.repository, rule.with])),
    prereleases: new Set([...(request.prereleases ?? []), ...prereleases]),
    anyCrossplane: new Set(
      roots.filter((root) => root.ignoreCrossplaneConstraints).map((root) => root.repository),
    ),
    ignoreRequirements: roots.length > 0 && roots.every((root) => root.skipDependencyResolution),
    prefer: options.prefer ?? 'newest',
    locked: new Map(locked.map(({ repository, version }) => [repository, version])),
    allowCycles: options.allowCycles ?? false,
    policy: policyRules(request, target, options),
    maxConflicts: options.maxConflicts ?? MAX_CONFLICTS,
  };
}

function requirementsOf(root: Root, target: Target, options: ProblemOptions): RootRequirement[] {
  switch (root.root) {
    case 'package':
      return [packageRequirement(root, target)];
    case 'crd':
      return [{ requires: 'api', crd: root.demand, origin: root.origin, by: undefined }];
    case 'local':
      return localRequirements(root, target, options);
  }
}

function packageRequirement(root: PackageRoot, target: Target): RootRequirement {
  const { repository, kind, version, isNamed, origin } = root;
  const problem = repositoryProblem(repository, target);
  if (problem !== undefined) {
    const message = `\`${repository}\` cannot be installed on Crossplane ${target.version}: ${problem}`;
    throw new InputError(message, { origin, ...registryHint(repository) });
  }
  checkSpecFields(root, target);
  const selector =
    version.form === 'tag' ? version : readSelector(rootVersionText(version), target, origin);
  const takesNoRange = root.takesNoRange ?? root.object !== undefined;
  const written = { rejectsRanges: takesNoRange, isNamed, origin, by: undefined };
  return { requires: 'package', repository, kind, selector, ...written };
}

/** Returns a hint with the common registries if a repository does not start with a registry. */
function registryHint(repository: Repository): { readonly hint?: string } {
  if (/[.:]/.test(repository.split('/', 1)[0]!)) return {};
  const whole = repository.includes('/') ? repository : `ORGANISATION/${repository}`;
  const candidates = KNOWN_REGISTRIES.map((registry) => `\`${registry}/${whole}\``);
  return { hint: `write it in full, such as ${candidates.join(' or ')}` };
}

function pinRequirement(
  { repository, version, origin }: VersionRule,
  target: Target,
  request: Request,
  { lockfile }: ProblemOptions,
): RootRequirement {
  const selector = readSelector(version, target, origin);
  const requiredBy = transitiveRequirers(lockfile?.packages ?? [], request, repository);
  const named = { isNamed: true, pin: { requiredBy }, origin, by: undefined };
  return { requires: 'package', repository, kind: undefined, selector, ...named };
}

/** Returns the locked packages that require a package, directly or not. */
function transitiveRequirers(
  packages: Lockfile['packages'],
  request: Request,
  repository: Repository,
): ReadonlySet<Repository> {
  const graph = lockGraph({ packages }, (named) => replacedRepository(request, named));
  const found = new Set<Repository>();
  const add = (required: Repository) => {
    for (const { from } of graph.requirersOf(required)) found.add(from.repository);
  };
  add(repository);
  // The loop also visits packages that are added on the way.
  for (const requirer of found) add(requirer);
  return found;
}

function localRequirements(
  root: LocalRoot,
  target: Target,
  { compat }: ProblemOptions,
): RootRequirement[] {
  const { name: by, origin } = root;
  const found: RootRequirement[] = [];
  if (root.crossplane !== undefined) {
    const parsed = parseConstraint(root.crossplane, target.rules.dialect);
    if (parsed.invalid) {
      const message = `\`crossplane.version: ${root.crossplane}\` is no constraint for Crossplane ${target.version} (${parsed.error})`;
      throw new InputError(message, { origin: root.crossplaneOrigin ?? origin });
    }
    found.push({ requires: 'crossplane', constraint: root.crossplane, origin, by });
  }
  const [refused] = refusedObjects(root.objects, root.kind, target);
  if (refused !== undefined) {
    throw new InputError(refused.message, { origin: refused.object.origin ?? origin });
  }
  const objects = ownedObjects(root.objects, root.kind, target);
  if (objects.length > 0) found.push({ requires: 'owns', objects, origin, by });
  for (const { entry, origin: place } of root.dependsOn) {
    const reading = readDependency(entry, { target, compat: compat ?? false, line: place.line });
    const { requirement } = reading;
    if (requirement === undefined) {
      const error = reading.findings.find((finding) => finding.severity === 'error');
      throw new InputError(error?.message ?? 'unreadable dependsOn entry', { origin: place });
    }
    if (requirement.requires === 'crd') {
      found.push({ requires: 'api', crd: requirement.demand, origin: place, by });
      continue;
    }
    const { repository, kind, constraint } = requirement;
    const selector = readSelector(constraint, target, place);
    found.push({ requires: 'package', repository, kind, selector, origin: place, by });
  }
  return found;
}

function toRule(rule: VersionRule, target: Target): Rule {
  return { selector: readSelector(rule.version, target, rule.origin), origin: rule.origin };
}

export interface ResolveOptions extends ProblemOptions {
  readonly source: PackageSource;
  /** A Crossplane release or range. Overrides that of the request. */
  readonly crossplane?: string | undefined;
  /** The command names the release: no suggestion changes it. */
  readonly isReleaseNamed?: boolean | undefined;
  /** Stable Crossplane releases in addition to the known ones. */
  readonly crossplaneVersions?: readonly string[] | undefined;
  /** Called repeatedly during a long search. If it returns `false`, the search gives up. */
  readonly goOn?: (() => boolean) | undefined;
}

/** Parses a digest, a constraint in the dialect of the target, or a tag, in this order. */
function readSelector(text: string, target: Target, origin: Origin): Selector {
  if (isDigest(text)) return { form: 'digest', digest: text };
  if (!parseConstraint(text, target.rules.dialect).invalid) return { form: 'range', text };
  if (isTag(text)) return { form: 'tag', tag: text };
  const message = `\`${text}\` is neither a constraint on Crossplane ${target.version}, nor a tag, nor a digest`;
  const hint = `ask \`xpkg-resolve constraint ${shellWord(text)} --crossplane ${target.version}\` why`;
  throw new InputError(message, { origin, hint });
}

/** Throws an `InputError` if an option has a name that is not a repository. */
export function checkRepositoryNames(option: string, names: Iterable<string>): void {
  for (const name of names) {
    if (isRepository(name)) continue;
    throw new InputError(`\`${name}\`, given in \`${option}\`, is not a repository`, {
      hint: 'write `registry/path`: no tag, no digest',
    });
  }
}
