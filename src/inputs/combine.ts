import { formatOrigin, InputError } from '../model/input-error.js';
import type { Origin } from '../model/package.js';
import { mappingOf, type JsonObject, type JsonValue } from '../text/json.js';
import type { PackageRoot, Request, Root } from '../model/request.js';
import type { PackageRootDraft, Contribution } from './contribution.js';

export interface CombineOptions {
  /** Roots that skip dependency resolution beside others that do not are no error. */
  readonly mixedSkips?: boolean | undefined;
}

/** Puts contributions together, in the order given, into one request that contradicts itself nowhere. */
export function combine(
  contributions: readonly Contribution[],
  { mixedSkips = false }: CombineOptions = {},
): Request {
  type Lists = 'overrides' | 'replace' | 'exclude' | 'kept' | 'prereleases' | 'policies';
  const all = <K extends Lists>(key: K) =>
    contributions.flatMap(
      (contribution): readonly NonNullable<Contribution[K]>[number][] => contribution[key] ?? [],
    );
  const defaults = theOne(
    contributions.flatMap(({ defaults }) => defaults ?? []),
    {
      what: '`spec.defaults`',
      same: (a, b) => JSON.stringify(a.spec) === JSON.stringify(b.spec),
    },
  );
  const crossplane = theOne(
    contributions.flatMap(({ crossplane }) => crossplane ?? []),
    {
      what: '`spec.crossplane`',
      same: (a, b) => a.text === b.text,
    },
  );
  const crossplanes = theOne(
    contributions.flatMap(({ crossplanes }) => crossplanes ?? []),
    {
      what: '`spec.crossplanes`',
      same: (a, b) => a.texts.join() === b.texts.join(),
    },
  );
  const policies = all('policies');
  const request: Request = {
    crossplane,
    ...(crossplanes !== undefined && { crossplanes }),
    ...(contributions.some(({ allowUndigested }) => allowUndigested) && { allowUndigested: true }),
    roots: contributions
      .flatMap(({ roots }) => roots ?? [])
      .map((root): Root => (root.root === 'package' ? flagged(root, defaults?.spec ?? {}) : root)),
    overrides: all('overrides'),
    replace: all('replace'),
    exclude: all('exclude'),
    defaults: defaults?.spec ?? {},
    kept: all('kept'),
    prereleases: all('prereleases'),
    ...(policies.length > 0 && { policies }),
  };
  checkRequest(request);
  if (!mixedSkips) checkSkipping(request);
  return request;
}

function theOne<T extends { readonly origin: Origin }>(
  given: readonly T[],
  { what, same }: { what: string; same: (a: T, b: T) => boolean },
): T | undefined {
  const [first] = given;
  const other = given.find((one) => !same(one, first!));
  if (other !== undefined) {
    throw twice(`${what} is given twice, and differs`, first!.origin, other.origin);
  }
  return first;
}

function flagged(root: PackageRootDraft, defaults: JsonObject): PackageRoot {
  const own = root.object?.['spec'];
  const flag = (name: string): boolean => {
    const given: readonly (JsonValue | undefined)[] = [
      root.spec[name],
      mappingOf(own)?.[name],
      defaults[name],
    ];
    // null takes away what is more general.
    return given.find((value) => value !== undefined) === true;
  };
  return {
    ...root,
    ignoreCrossplaneConstraints: flag('ignoreCrossplaneConstraints'),
    skipDependencyResolution: flag('skipDependencyResolution'),
  };
}

function checkRequest(request: Request): void {
  const packages = request.roots.filter((root) => root.root === 'package');
  checkOncePerSource(packages);
  checkNames(packages);
  checkKeptNames(request);
  checkRules(request);
}

/** Two objects for one source stop the package manager of the whole cluster. */
function checkOncePerSource(packages: readonly PackageRoot[]): void {
  eachPairOnce(
    packages,
    (root) => root.repository,
    (first, second) =>
      twice(
        `\`${first.repository}\` is asked for twice`,
        first.origin,
        second.origin,
        'keep one of them; a constraint can hold both ranges: `>=v1.0.0, <v2.0.0`',
      ),
  );
}

function checkNames(packages: readonly PackageRoot[]): void {
  eachPairOnce(
    packages.filter((root) => root.name !== undefined),
    (root) => root.name!,
    (first, second) =>
      twice(
        `two packages, \`${first.repository}\` and \`${second.repository}\`, are named \`${first.name}\``,
        first.origin,
        second.origin,
        'names must differ, whatever the kind: names of revisions and deployments derive from them',
      ),
  );
}

function checkKeptNames({ kept }: Request): void {
  eachPairOnce(
    kept,
    ({ object }) => {
      return JSON.stringify([object['kind'], mappingOf(object['metadata'])?.['name']]);
    },
    (first, second) => twice('one object is given twice', first.origin, second.origin),
  );
}

function checkSkipping({ roots }: Request): void {
  const packages = roots.filter((root) => root.root === 'package');
  const skips = packages.find((root) => root.skipDependencyResolution);
  const follows = packages.find((root) => !root.skipDependencyResolution);
  if (skips === undefined || follows === undefined) return;
  throw new InputError(
    `\`${skips.repository}\` has \`skipDependencyResolution: true\` and \`${follows.repository}\` (${formatOrigin(follows.origin)}) has not: a package that skips is not in the Lock, so whatever depends on it reports it missing`,
    { origin: skips.origin, hint: 'set it on every package or on none' },
  );
}

function checkRules({ overrides, replace }: Request): void {
  eachPairOnce(
    overrides,
    (rule) => rule.repository,
    (a, b) => twice(`\`${a.repository}\` is overridden twice`, a.origin, b.origin),
  );
  eachPairOnce(
    replace,
    (rule) => rule.repository,
    (a, b) => twice(`\`${a.repository}\` is replaced twice`, a.origin, b.origin),
  );
  const next = new Map<string, string>(replace.map((rule) => [rule.repository, rule.with]));
  for (const { repository, origin } of replace) {
    let at = next.get(repository);
    for (let steps = 0; at !== undefined && at !== repository && steps < replace.length; steps++) {
      at = next.get(at);
    }
    if (at !== repository) continue;
    throw new InputError(`\`${repository}\` is, in the end, replaced by itself`, { origin });
  }
}

function eachPairOnce<T>(
  things: readonly T[],
  keyOf: (thing: T) => string,
  complain: (first: T, second: T) => InputError,
): void {
  const seen = new Map<string, T>();
  for (const thing of things) {
    const key = keyOf(thing);
    const first = seen.get(key);
    if (first !== undefined) throw complain(first, thing);
    seen.set(key, thing);
  }
}

function twice(what: string, first: Origin, second: Origin, hint?: string): InputError {
  return new InputError(`${what}: here and at ${formatOrigin(first)}`, {
    origin: second,
    ...(hint === undefined ? {} : { hint }),
  });
}
