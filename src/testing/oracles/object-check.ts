// Independent of the renderer on purpose, so that a mistake in either one shows.
import { type JsonObject, mappingOf, stringOf } from '../../base/json.js';
import { validPackageReference } from '../../crossplane/packages/reference.js';
import { targetFor, type Target } from '../../crossplane/releases/target.js';
import { targetsFor } from './exhaustive.js';
import type { Outcome } from '../resolver.js';
import type { Scenario } from '../generators/scenario.js';
import { type SelectedVersions, TargetView, type Violation, violationsOf } from './target-view.js';

interface RenderedObject {
  readonly kind: string;
  readonly name: string;
  readonly reference: string;
  readonly skips: boolean;
}

interface Solution extends Scenario {
  readonly outcome: Extract<Outcome, { status: 'solved' }>;
}

/** Returns why a cluster would reject the objects or install other packages. */
export function rejectionReasons(objects: readonly JsonObject[], answered: Solution): string[] {
  const { universe, request, options, outcome } = answered;
  const target = targetFor(outcome.crossplane ?? '') ?? targetsFor(request, options)[0]!;
  const view = new TargetView(universe, request, { target, options });
  const asWritten = withoutRules(answered, target);
  const rendered = objects.flatMap(packageObject);
  const references = rendered.map(({ reference }) => reference);
  const selected = [...outcome.selected].map(([repository, version]): SelectedPackage => ({
    repository,
    version,
    reference: `${repository}${version.startsWith('sha256:') ? '@' : ':'}${version}`,
  }));
  const missing = selected.filter(({ reference }) => !references.includes(reference));
  const surplus = rendered.length - selected.length;
  return [
    ...missing.map(({ reference }) => `${reference} is not rendered`),
    ...(surplus > 0 ? [`${surplus} more objects than packages`] : []),
    ...references
      .filter((reference) => !validPackageReference(reference, target))
      .map((reference) => `${reference} is no valid spec.package`),
    ...repeatedNames(rendered.map(({ kind, name }) => `${kind} ${name}`)),
    ...rendered
      .filter(({ name }) => !/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(name))
      .map(({ name }) => `${name} is no object name`),
    ...selected
      .filter(({ repository, version, reference }) => {
        const kind = rendered.find((one) => one.reference === reference)?.kind;
        return kind !== undefined && kind !== view.read(repository, version)?.kind;
      })
      .map(({ reference }) => `${reference} is rendered as another kind`),
    ...(options.allowCycles ? [] : appliedTooEarly(selected, references, asWritten)),
    ...skipFlaws(rendered, asWritten, outcome.selected),
  ];
}

interface SelectedPackage {
  readonly repository: string;
  readonly version: string;
  /** Value of `spec.package` of its object. */
  readonly reference: string;
}

/** Returns packages whose object precedes that of a package they require. */
function appliedTooEarly(
  selected: readonly SelectedPackage[],
  references: readonly string[],
  asWritten: TargetView,
): string[] {
  const place = new Map(
    selected.map(({ repository, reference }) => [repository, references.indexOf(reference)]),
  );
  return selected.flatMap(({ repository, version }) =>
    asWritten
      .requirementsOf(repository, version)
      .filter((r) => place.get(r.repository)! > place.get(repository)!)
      .map((r) => `${repository} is applied before ${r.repository}, which it requires`),
  );
}

/** Returns the packages as the cluster reads them: without the rules of the request. */
function withoutRules({ universe, request, options }: Solution, target: Target): TargetView {
  return new TargetView(
    universe,
    { ...request, overrides: [], replace: [], exclude: [], roots: [] },
    { target, options: { ...options, allowCycles: false, prereleases: [] } },
  );
}

const CHECKED_IN_CLUSTER: readonly Violation['rule'][] = ['version', 'unmet', 'cycle'];

/** Either all objects skip dependency resolution, as they must if it would fail, or none. */
function skipFlaws(
  rendered: readonly RenderedObject[],
  asWritten: TargetView,
  selected: SelectedVersions,
): string[] {
  const skipping = rendered.filter(({ skips }) => skips).length;
  if (skipping === rendered.length) return [];
  if (skipping > 0) return [`skipDependencyResolution on ${skipping} of ${rendered.length}`];
  return violationsOf(asWritten, selected)
    .filter(({ rule }) => CHECKED_IN_CLUSTER.includes(rule))
    .map(({ text }) => `the cluster would refuse: ${text}`);
}

function packageObject(object: JsonObject): RenderedObject[] {
  const spec = mappingOf(object['spec']) ?? {};
  const { kind } = object;
  const { package: reference, skipDependencyResolution } = spec;
  if (typeof kind !== 'string' || typeof reference !== 'string') return [];
  const name = stringOf(mappingOf(object['metadata'])?.['name']) ?? '';
  return [{ kind, name, reference, skips: skipDependencyResolution === true }];
}

function repeatedNames(names: readonly string[]): string[] {
  return names
    .filter((name, n) => names.indexOf(name) !== n)
    .map((name) => `two objects are called ${name}`);
}
