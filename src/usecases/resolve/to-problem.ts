import type { Lockfile } from '../../lock/lockfile.js';
import { parseConstraint } from '../../semver/constraint.js';
import { readDependency } from '../../admission/dependency.js';
import { InputError } from '../../model/input-error.js';
import { ownedObjects } from '../../admission/owned.js';
import type { Repository } from '../../model/package.js';
import { repositoryProblem } from '../../model/reference.js';
import type { LocalRoot, PackageRoot, Request, Root, VersionRule } from '../../model/request.js';
import type { Target } from '../../model/target/target.js';
import type { RootRequirement, Problem, Rule } from '../../solver/problem.js';
import { versionOf } from '../../model/target/target-choice.js';
import type { Selector } from '../../model/selector.js';
import { policyRules, type PolicyOptions } from './policy/policy-rules.js';
import { readSelector } from './read-selector.js';
import { refuseOtherNames } from './refuse-other-names.js';

/** What a user may set beside the request itself. */
export interface ProblemOptions extends PolicyOptions {
  /** Says in the lockfile which states of indexes were read; so does one that said so before. */
  readonly lockIndexes?: boolean | undefined;
  /**
   * Says in the lockfile which published tags are longer than locked ones and begin as they do, for
   * pins to let through; false: says so no longer; undefined: as the lockfile before.
   */
  readonly longerTags?: boolean | undefined;
  /** Among versions that are not locked. */
  readonly prefer?: 'newest' | 'lowest' | undefined;
  /** The last answer: its names are kept, and its versions are preferred before all others. */
  readonly lockfile?: Lockfile | undefined;
  /** Repositories whose locked version does not count: they are to move. */
  readonly unlock?: ReadonlySet<Repository> | 'all' | undefined;
  /** Packages that must be at this version, whatever else is asked of them. */
  readonly pins?: readonly VersionRule[] | undefined;
  readonly prereleases?: readonly Repository[] | undefined;
  readonly allowCycles?: boolean | undefined;
  readonly compat?: boolean | undefined;
  readonly maxConflicts?: number | undefined;
}

const MAX_CONFLICTS = 1_000_000;

/** Where most packages are; once the default of some release. */
const KNOWN_REGISTRIES = ['xpkg.crossplane.io', 'xpkg.upbound.io'];

/** The request as a problem for the solver, as `targets` read it: they follow the same rules. */
export function toProblem(
  request: Request,
  targets: readonly Target[],
  options: ProblemOptions,
): Problem {
  const { prereleases = [], unlock = 'all', pins = [] } = options;
  refuseOtherNames('prereleases', prereleases);
  if (unlock !== 'all') refuseOtherNames('unlock', unlock);
  refuseOtherNames(
    'pins',
    pins.map(({ repository }) => repository),
  );
  const target = targets[0]!;
  const roots = request.roots.filter((root): root is PackageRoot => root.root === 'package');
  return {
    dialect: target.rules.dialect,
    skipsIncompleteTags: target.rules.skipsIncompleteTags,
    releases: targets.map(versionOf),
    roots: [
      ...request.roots.flatMap((root) => requirementsOf(root, target, options)),
      ...pins.map((pin) => pinRequirement(pin, target)),
    ],
    overrides: new Map(request.overrides.map((rule) => [rule.repository, toRule(rule, target)])),
    exclude: grouped(request.exclude, target),
    replace: new Map(request.replace.map((rule) => [rule.repository, rule.with])),
    prereleases: new Set([...(request.prereleases ?? []), ...prereleases]),
    anyCrossplane: new Set(
      roots.filter((root) => root.ignoreCrossplaneConstraints).map((root) => root.repository),
    ),
    ignoreRequirements: roots.length > 0 && roots.every((root) => root.skipDependencyResolution),
    prefer: options.prefer ?? 'newest',
    locked: lockedVersions(options),
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
  const { repository, kind, version, origin } = root;
  const problem = repositoryProblem(repository, target);
  if (problem !== undefined) {
    const message = `\`${repository}\` cannot be installed on Crossplane ${target.version}: ${problem}`;
    throw new InputError(message, { origin, ...registryHint(repository) });
  }
  const selector: Selector =
    version.form === 'tag'
      ? { form: 'tag', tag: version.tag }
      : readSelector(version.form === 'digest' ? version.digest : version.text, target, origin);
  const takesNoRange = root.takesNoRange ?? root.object !== undefined;
  return { requires: 'package', repository, kind, selector, takesNoRange, origin, by: undefined };
}

/** Names the registries where most packages are, for a repository that names none. */
function registryHint(repository: Repository): { readonly hint?: string } {
  if (/[.:]/.test(repository.split('/', 1)[0]!)) return {};
  const whole = repository.includes('/') ? repository : `ORGANISATION/${repository}`;
  const named = KNOWN_REGISTRIES.map((registry) => `\`${registry}/${whole}\``);
  return { hint: `write it in full, such as ${named.join(' or ')}` };
}

function pinRequirement(
  { repository, version, origin }: VersionRule,
  target: Target,
): RootRequirement {
  const selector = readSelector(version, target, origin);
  return { requires: 'package', repository, kind: undefined, selector, origin, by: undefined };
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
      throw new InputError(message, { origin });
    }
    found.push({ requires: 'crossplane', constraint: root.crossplane, origin, by });
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

function grouped(rules: readonly VersionRule[], target: Target): Map<Repository, Rule[]> {
  const byRepository = new Map<Repository, Rule[]>();
  for (const rule of rules) {
    const list = byRepository.get(rule.repository) ?? [];
    list.push(toRule(rule, target));
    byRepository.set(rule.repository, list);
  }
  return byRepository;
}

function lockedVersions({ lockfile, unlock }: ProblemOptions): Map<Repository, string> {
  if (unlock === 'all') return new Map();
  const locked = (lockfile?.packages ?? []).filter(({ repository }) => !unlock?.has(repository));
  return new Map(locked.map(({ repository, version }) => [repository, version]));
}
