import { meetsDemand } from '../../model/crd-demand.js';
import type { IndexFile, IndexPackage, IndexVersion } from '../../model/index-file.js';
import { isDigest } from '../../text/digest.js';
import type { JsonValue } from '../../text/json.js';
import type { LocalRoot, Request, Root } from '../../model/request.js';
import { targetFor, type Target } from '../../model/target/target.js';
import { compareVersions, exactTag, parseVersion } from '../../semver/version.js';
import type { NamedFact, FactVersions } from '../../explain/named-fact.js';
import { readEntry, readVersion } from '../oracle/reading.js';
import type { Core, CoreScenario } from './resolver.js';

interface Given {
  readonly universe: IndexFile;
  readonly request: Request;
  /** The releases that the facts are about. */
  readonly releases: readonly string[];
}

/** What an explanation names, and the same without any one of the facts that could be otherwise. */
export function coreScenario(facts: readonly NamedFact[], given: Given): Core {
  const keys = new Set(facts.filter((fact) => fact.isDebatable).map(({ key }) => key));
  return {
    ...scenarioOf(facts, given),
    smaller: [...keys].map((key) =>
      scenarioOf(
        facts.filter((fact) => fact.key !== key),
        given,
      ),
    ),
  };
}

function scenarioOf(facts: readonly NamedFact[], given: Given): CoreScenario {
  const named = new Named(facts, given);
  return {
    universe: named.universe(),
    request: named.request(),
    options: { crossplane: given.releases.join(' || '), allowCycles: true },
  };
}

/**
 * Some versions of some packages that cannot all be installed, for whatever reason. To say so and
 * nothing else, a package is added of which each of them refuses another version, and all together
 * every one.
 */
interface Clash {
  readonly repository: string;
  readonly members: readonly FactVersions[];
}

/** Cuts a universe and a request down to the facts named. */
class Named {
  private readonly facts: readonly NamedFact[];
  private readonly given: Given;
  private readonly target: Target;
  private readonly clashes: readonly Clash[];

  constructor(facts: readonly NamedFact[], given: Given) {
    this.facts = facts;
    this.given = given;
    this.target = targetFor(given.releases[0]!)!;
    this.clashes = facts.flatMap((fact, n) => {
      const members = membersOf(fact);
      return members ? [{ repository: `core.example.org/clash/number-${n}`, members }] : [];
    });
  }

  universe(): IndexFile {
    const packages = Object.entries(this.given.universe.packages).map(
      ([repository, { kind, versions }]): [string, IndexPackage] => {
        const left = Object.entries(versions).map(([tag, version]): [string, IndexVersion] => [
          tag,
          this.version({ repository, tag, names: [tag, version.digest] }, version),
        ]);
        return [repository, { kind, versions: Object.fromEntries(left) }];
      },
    );
    const clashes = this.clashes.map(({ repository, members }): [string, IndexPackage] => {
      const versions = members.map((_, n): [string, IndexVersion] => [clashing(n), {}]);
      return [repository, { kind: 'Provider', versions: Object.fromEntries(versions) }];
    });
    return this.withUnsought({ packages: Object.fromEntries([...packages, ...clashes]) });
  }

  /**
   * That a version somebody names does not exist is a fact as well, and what a range means tells
   * it too. Where neither is named, nobody looked, and the version may be there.
   */
  private withUnsought({ packages }: IndexFile): IndexFile {
    const all: Record<string, IndexPackage> = { ...packages };
    const demands = this.demands(packages);
    for (const { repository, kind, version } of demands) {
      if (version === undefined || isListed(repository, demands)) continue;
      if (this.facts.some((fact) => 'isVain' in fact && fact.isVain && fact.on === repository))
        continue;
      const held = all[repository] ?? { kind, versions: {} };
      const one = { repository, tag: version, names: [version] };
      const isMissing = this.facts.some((fact) => fact.fact === 'missing' && covers(fact.of, one));
      if (isMissing || isThere(held, version)) continue;
      all[repository] = { ...held, versions: { ...held.versions, [version]: {} } };
    }
    return { packages: all };
  }

  private demands(packages: IndexFile['packages']): Demand[] {
    const entries = Object.values(packages)
      .flatMap(({ versions }) => Object.values(versions))
      .flatMap(({ dependsOn = [] }) => dependsOn);
    const roots = this.request().roots;
    const local = roots.flatMap((root) => (root.root === 'local' ? root.dependsOn : []));
    const edges = [...entries, ...local.map(({ entry }) => entry)].flatMap((entry) => {
      const edge = readEntry(entry, this.target);
      return edge === undefined ? [] : [this.demandOn(edge, edge.constraint)];
    });
    const asked = roots.flatMap((root): Demand[] => {
      if (root.root !== 'package') return [];
      const { repository, version } = root;
      if (version.form === 'tag') return [{ repository, kind: 'Provider', version: version.tag }];
      const text = version.form === 'digest' ? version.digest : version.text;
      return [this.demandOn({ repository, kind: 'Provider' }, text)];
    });
    return [...asked, ...edges];
  }

  private demandOn(on: Omit<Demand, 'version'>, text: string): Demand {
    const repository = this.replaced(on.repository);
    const override = this.given.request.overrides.find((rule) => rule.repository === repository);
    const wanted = override?.version ?? text;
    const version = isDigest(wanted) ? wanted : exactTag(wanted, this.target.rules.dialect);
    return { repository, kind: on.kind, version };
  }

  private version(one: One, version: IndexVersion): IndexVersion {
    const isRefused = this.facts.some((fact) => fact.fact === 'rejected' && covers(fact.of, one));
    if (isRefused) return version;
    const isHeld = this.facts.some(
      (fact) => fact.fact === 'crossplane' && 'repository' in fact.by && covers(fact.by, one),
    );
    const { digest, kind, apiVersion, name, dependsOn = [] } = version;
    return {
      digest,
      kind,
      apiVersion,
      name,
      crossplane: isHeld ? version.crossplane : undefined,
      dependsOn: [
        ...dependsOn.filter((entry) => this.requires(one, entry)).map((e) => this.ofRightKind(e)),
        ...this.refusals(one),
      ],
      ...this.apis(one),
    };
  }

  /** Who owns an API that is asked for is no matter of debate; what it is called is, as a clash. */
  private apis({ repository, tag: version }: One): Partial<IndexVersion> {
    const { universe, request } = this.given;
    const reading = readVersion(universe, { repository, version }, this.target);
    const place = Object.keys(universe.packages).indexOf(repository);
    const objects = request.roots.flatMap((root, n) => {
      if (root.root !== 'crd' || reading === undefined) return [];
      const isOwner = reading.installs.some((object) => meetsDemand(object, root.demand));
      const defines = { ...apiOf(n), versions: ['v1'] };
      return isOwner ? [{ name: `api${n}of${place}.core.example.org`, defines }] : [];
    });
    if (reading?.kind === 'Configuration') return { xrds: objects };
    return {
      crds: objects.map(({ name }) => name),
      defines: Object.fromEntries(objects.map(({ name, defines }) => [name, defines])),
    };
  }

  private requires(one: One, entry: JsonValue): boolean {
    const edge = readEntry(entry, this.target);
    return this.facts.some(
      (fact) =>
        fact.fact === 'requires' &&
        covers(fact.by, one) &&
        fact.on === (edge && this.replaced(edge.repository)) &&
        fact.constraint === edge?.constraint,
    );
  }

  /** That an entry names the wrong kind is a fact of its own, and a clash. */
  private ofRightKind(entry: JsonValue): JsonValue {
    const edge = readEntry(entry, this.target);
    if (edge === undefined) return entry;
    const { packages } = this.given.universe;
    const { repository, constraint: version } = edge;
    const on = this.replaced(repository);
    const kind = Object.hasOwn(packages, on) ? packages[on]!.kind : edge.kind;
    return { [kind.toLowerCase()]: repository, version };
  }

  private refusals(one: One): JsonValue[] {
    return this.clashes.flatMap(({ repository, members }) =>
      members.flatMap((member, n) =>
        covers(member, one) ? [{ provider: repository, version: `!=${clashing(n)}` }] : [],
      ),
    );
  }

  private replaced(repository: string): string {
    const rule = this.given.request.replace.find((one) => one.repository === repository);
    return rule?.with ?? repository;
  }

  request(): Request {
    const { crossplane: _, ...request } = this.given.request;
    const roots: Root[] = [];
    let place = 0;
    for (const [n, root] of request.roots.entries()) {
      if (root.root === 'local') roots.push(this.local(root, place));
      else if (this.asks(place))
        roots.push(
          root.root === 'package'
            ? { ...root, kind: undefined }
            : { ...root, demand: { ...apiOf(n), version: undefined } },
        );
      place += demandsOf(root);
    }
    const origin = { file: 'core' };
    const exclude = this.facts.flatMap((fact) =>
      fact.fact === 'excluded'
        ? fact.of.versions.map((version) => ({ ...fact.of, version, origin }))
        : [],
    );
    return { ...request, roots, exclude };
  }

  /** `place`: that of the first thing it asks for. */
  private local(root: LocalRoot, place: number): LocalRoot {
    const { crossplane, dependsOn } = root;
    const first = place + demandsOf(root) - dependsOn.length;
    const isHeld = this.facts.some(
      (fact) => fact.fact === 'crossplane' && 'root' in fact.by && fact.by.root === place,
    );
    return {
      ...root,
      crossplane: isHeld ? crossplane : undefined,
      dependsOn: dependsOn
        .filter((_, n) => this.asks(first + n))
        .map(({ entry, origin }) => ({ entry: this.ofRightKind(entry), origin })),
      objects: [],
    };
  }

  private asks(place: number): boolean {
    return this.facts.some((fact) => fact.fact === 'root' && fact.by.root === place);
  }
}

/** What cannot be installed together; roots are always there, and need no mention. */
function membersOf(fact: NamedFact): FactVersions[] | undefined {
  switch (fact.fact) {
    case 'owns':
      return [fact.one, fact.other].filter((party) => 'repository' in party);
    case 'kind':
      return [fact.by, fact.on].filter((party) => 'repository' in party);
    case 'cycle':
      return [...fact.members];
    case 'root':
    case 'requires':
    case 'provides':
    case 'crossplane':
    case 'missing':
    case 'rejected':
    case 'excluded':
    case 'no-others':
      return undefined;
  }
}

interface Demand {
  readonly repository: string;
  readonly kind: string;
  /** undefined: it asks for a range. */
  readonly version: string | undefined;
}

function isListed(repository: string, demands: readonly Demand[]): boolean {
  return demands.some((one) => one.repository === repository && one.version === undefined);
}

/** By that name, as those bytes, or in another spelling. */
function isThere({ versions }: IndexPackage, version: string): boolean {
  const parsed = isDigest(version) ? undefined : parseVersion(version, '1.5.0');
  return Object.entries(versions).some(([tag, { digest }]) => {
    if (tag === version || digest === version) return true;
    const other = parseVersion(tag, '1.5.0');
    return parsed !== undefined && other !== undefined && compareVersions(parsed, other) === 0;
  });
}

function clashing(n: number): string {
  return `v1.${n}.0`;
}

function apiOf(n: number): { readonly group: string; readonly kind: string } {
  return { group: 'core.example.org', kind: `Api${n}` };
}

/** A version of a package; its tag and its digest name the same. */
interface One {
  readonly repository: string;
  readonly tag: string;
  readonly names: readonly (string | undefined)[];
}

function covers({ repository, versions }: FactVersions, one: One): boolean {
  const name: string = repository;
  return name === one.repository && versions.some((version) => one.names.includes(version));
}

/** How many things a root asks for, in the order in which facts count them. */
function demandsOf(root: Root): number {
  if (root.root !== 'local') return 1;
  const { crossplane, objects, dependsOn } = root;
  return (crossplane === undefined ? 0 : 1) + (objects.length > 0 ? 1 : 0) + dependsOn.length;
}
