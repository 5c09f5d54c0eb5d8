import { type CoreGraph, type ClaimFact, type Claim, claimAbout } from './core-graph.js';
import {
  requesterText,
  exclusionText,
  firstErrorText,
  rulingText,
  wantedText,
} from './fact-clause.js';
import { conjugated, labelsOf, type NounPhrases, rangeText } from './noun-phrases.js';
import { formatOrigin } from '../../base/errors.js';
import { andList, orList } from '../../base/messages.js';
import { parseConstraint, selectorOf } from '../../crossplane/constraints/constraint.js';
import { compareVersions, parseVersion } from '../../crossplane/constraints/version.js';
import { formatCrdRef } from '../../crossplane/packages/crd-ref.js';
import { knownReleases } from '../../crossplane/releases/target.js';
import type { Fact, FactOf, Term, Variable } from '../solver/incompatibility.js';
import type { PackageVersions } from '../solver/package-versions.js';
import type { RootPackage } from '../solver/problem.js';
import { VersionSet } from '../solver/version-set.js';

/** An unfinished sentence, and the package or API at its end. */
interface Chain {
  readonly text: string;
  readonly to: Variable;
  /** The accepted versions of that package. */
  readonly values: VersionSet;
  readonly indent: string;
  /** The chain has only the requirement of a root so far. */
  readonly isStart: boolean;
}

/**
 * Describes chains of requirements from each root inwards, one sentence each. If a package requires
 * several things, each of them is a line below the sentence, indented by two spaces. The requirements
 * of a package are described once, where a chain first reaches it.
 */
export class Chains {
  readonly #graph: CoreGraph;
  readonly #nouns: NounPhrases;
  readonly #describedVersions = new Map<Claim, VersionSet>();
  readonly #facts = new Set<Fact>();

  constructor(graph: CoreGraph, nouns: NounPhrases) {
    this.#graph = graph;
    this.#nouns = nouns;
  }

  /** The facts in the chains, in the order of presentation. Complete after `lines`. */
  get facts(): ReadonlySet<Fact> {
    return this.#facts;
  }

  lines(): string[] {
    return this.#graph.starts.flatMap((start) => {
      this.#facts.add(start);
      const chain = { indent: '', isStart: true };
      switch (start.fact) {
        case 'root': {
          const { root, on } = start;
          const wanted = wantedText(on, root.selector, this.#nouns);
          const text = `${requesterText(root)} ${wanted}${this.#kindClause(on.variable, root)}`;
          return this.#follow({ ...chain, text, to: on.variable, values: on.values });
        }
        case 'root-api': {
          const text = `${requesterText(start.root)} the API ${formatCrdRef(start.root.crd)}`;
          return this.#follow({ ...chain, text, to: start.on, values: VersionSet.all });
        }
        case 'crossplane': {
          if ('values' in start.by) throw new Error('no chain starts at a published package');
          const { by, origin } = start.by;
          const needed = neededCrossplane([start], this.#nouns);
          return [`${by} (${formatOrigin(origin)}) needs Crossplane ${needed}.`];
        }
      }
    });
  }

  #follow(chain: Chain): string[] {
    const { text, indent, to } = chain;
    const claims = this.#newClaims(chain);
    const [claim] = claims;
    if (claim === undefined) return [`${indent}${text}${this.#noOwnerClause(to)}.`];
    if (claims.length === 1) {
      return this.#append(`${text}, ${this.#relativeClause(claim, chain)}`, claim, indent);
    }
    const below = `${indent}  `;
    if (claims.every((each) => each.facts[0]!.fact === 'requires' && coversChain(each, chain))) {
      const required = claims.map((each) => requiredText(each.facts, this.#graph, this.#nouns));
      const lines = claims.flatMap((each, i) => this.#append(required[i]!, each, below));
      const areEnds = lines.every((line, i) => line === `${below}${required[i]}.`);
      if (areEnds) return [`${indent}${text}, which requires ${andList(required)}.`];
      return [`${indent}${text}, which requires:`, ...lines];
    }
    const lines = claims.flatMap((each) => this.#append(this.#sentence(each), each, below));
    return [`${indent}${text}:`, ...lines];
  }

  /** Returns facts about the versions at the end of a chain that no chain has described yet. */
  #newClaims({ to, values }: Chain): Claim[] {
    return this.#graph.claims(to).flatMap((claim) => {
      const known = this.#describedVersions.get(claim) ?? VersionSet.none;
      const here = claimAbout(claim, values);
      if (here === undefined || here.by.values.isSubsetOf(known)) return [];
      this.#describedVersions.set(claim, known.or(here.by.values));
      return [here];
    });
  }

  #append(text: string, claim: Claim, indent: string): string[] {
    for (const fact of claim.facts) this.#facts.add(fact);
    const { to, values } = claim;
    if (to === undefined) return [`${indent}${text}.`];
    const more = this.#kindClause(to, claim.by);
    return this.#follow({ text: `${text}${more}`, to, values, indent, isStart: false });
  }

  /** Returns a relative clause about the package at the end of the chain. */
  #relativeClause(claim: Claim, chain: Chain): string {
    if (claim.facts[0]!.fact === 'provides') return `which ${this.#ownersClause(claim)}`;
    if (!coversChain(claim, chain)) return `of which ${this.#sentence(claim)}`;
    const which =
      chain.isStart && claim.by.values.onlyMember === undefined
        ? 'every version of which'
        : 'which';
    return `${which} ${predicate(claim, false, this.#graph, this.#nouns)}`;
  }

  /** Returns a sentence about versions of the package in the line above. */
  #sentence(claim: Claim): string {
    const { by } = claim;
    if (claim.facts[0]!.fact === 'provides') return `${this.#ownersClause(claim)} it`;
    const versions = rangeText(this.#nouns.package(by).versions, by.values, andList);
    return `${versions} ${predicate(claim, this.#nouns.isMany(by), this.#graph, this.#nouns)}`;
  }

  #ownersClause({ facts }: Claim): string {
    const owners = facts.flatMap((fact) => (fact.fact === 'provides' ? [fact.by] : []));
    const names = owners.map((owner) => this.#nouns.anyOf(owner));
    const isMany = owners.length > 1 || this.#nouns.isMany(owners[0]!);
    return `${andList(names)} ${conjugated('own', isMany)}`;
  }

  /** Returns a clause if no package owns an API. */
  #noOwnerClause(variable: Variable): string {
    const subject = this.#nouns.encoder.subject(variable);
    if (subject.about !== 'api' || subject.owners.length > 0) return '';
    return ', and no package in the sources given owns it';
  }

  /** Returns a clause if a package is required as a kind that it is not. */
  #kindClause(variable: Variable, by: Term | RootPackage): string {
    const isOf = (other: Term | RootPackage) =>
      'values' in other && 'values' in by
        ? other.variable === by.variable && by.values.isSubsetOf(other.values)
        : other === by;
    for (const fact of this.#graph.facts) {
      if (fact.fact !== 'kind' || fact.on.variable !== variable || !isOf(fact.by)) continue;
      this.#facts.add(fact);
      return ` as a ${fact.wanted}, though it is a ${fact.found}`;
    }
    return '';
  }
}

/** Returns whether the facts are about all versions at the end of a chain. */
function coversChain({ by }: Claim, { values }: Chain): boolean {
  return values.isSubsetOf(by.values);
}

/** Returns the predicate for versions: `requires b ^1.0.0`, `are excluded (xpkg.yaml:9)`. */
function predicate(
  { facts, by }: Claim,
  isMany: boolean,
  graph: CoreGraph,
  nouns: NounPhrases,
): string {
  const fact = facts[0]!;
  switch (fact.fact) {
    case 'requires':
      return `${conjugated('require', isMany)} ${requiredText(facts, graph, nouns)}`;
    case 'requires-api':
      return `${conjugated('require', isMany)} the API ${fact.text}`;
    case 'crossplane': {
      const needs = facts.filter((each) => each.fact === 'crossplane');
      return `${conjugated('need', isMany)} Crossplane ${neededCrossplane(needs, nouns)}`;
    }
    case 'missing':
      return notPublished(by, isMany, nouns);
    case 'rejected': {
      // The rest of the message is advice to the author of the package.
      const [reason] = firstErrorText(fact.findings).split('; ');
      return `${conjugated('be', isMany)} refused by Crossplane (${reason!})`;
    }
    case 'excluded':
      return exclusionText(fact.rule, isMany, nouns);
    case 'ruled-out':
      return rulingText(fact.ruling, isMany);
    case 'provides':
      throw new Error('a fact about the owners of an API has no predicate');
  }
}

/**
 * Returns the required package with its constraint. If the requiring versions have different
 * constraints, the versions that they admit replace the constraint. If every version is admitted and
 * nothing else requires the package, the result is the package alone.
 */
function requiredText(facts: readonly ClaimFact[], graph: CoreGraph, nouns: NounPhrases): string {
  const requirements = facts.filter((fact) => fact.fact === 'requires');
  const [first] = requirements;
  const { on, constraint } = first!;
  const { repository, versions } = nouns.package(on);
  const values = requirements.reduce((all, fact) => all.or(fact.on.values), on.values);
  const isContested = graph.requirers(on.variable).length > 1;
  if (!isContested && versions.isListed && isEveryRelease(versions, values)) {
    return nouns.name(repository);
  }
  if (requirements.every((fact) => fact.constraint === constraint)) {
    return wantedText(on, selectorOf(constraint), nouns);
  }
  const range = rangeText(versions, values);
  const ends = range.replace(/^\d+ versions from (\S+) to (\S+)/, 'between $1 and $2');
  return `${nouns.name(repository)} ${ends}`;
}

/** Returns whether a set has every version except prereleases. */
function isEveryRelease(versions: PackageVersions, values: VersionSet): boolean {
  const releases = versions
    .ascending()
    .filter((value) => versions.version(value)!.prerelease === '');
  return releases.length > 0 && releases.every((value) => values.has(value));
}

/** States that versions do not exist. A locked version existed and has been withdrawn. */
function notPublished({ variable, values }: Term, isMany: boolean, nouns: NounPhrases): string {
  const { repository, versions } = nouns.package({ variable, values });
  const locked = nouns.problem.locked.get(repository);
  const labels = labelsOf(versions, values);
  if (labels.length === 1 && labels[0] === locked) {
    return 'was withdrawn: the lockfile has it, and it is no longer published';
  }
  return `${conjugated('be', isMany)} not published`;
}

/** Returns the required Crossplane, and whether the target is too old or too new. */
function neededCrossplane(facts: readonly FactOf<'crossplane'>[], nouns: NounPhrases): string {
  const constraints = [...new Set(facts.map(({ constraint }) => `\`${constraint}\``))];
  if (facts.some(({ on }) => !on.values.isEmpty)) return orList(constraints);
  const releases = nouns.releases(VersionSet.all);
  const are = conjugated('be', nouns.problem.releases.length > 1);
  const gap = gapTo(facts, nouns);
  if (gap === undefined) return `${orList(constraints)}, and the target is ${releases}`;
  const needed = constraints.length === 1 ? constraints[0]! : gap.releases;
  return `${needed}, and ${releases} ${are} too ${gap.too}`;
}

/**
 * Returns the nearest admitted releases, and whether the target is too old or too new for them.
 * Undefined if releases on both sides of the target are admitted, or none.
 */
function gapTo(facts: readonly FactOf<'crossplane'>[], { problem }: NounPhrases) {
  const { dialect, releases } = problem;
  const constraints = facts.map(({ constraint }) => parseConstraint(constraint, dialect));
  const admitted = knownReleases()
    .map((text) => parseVersion(text, dialect)!)
    .filter((release) => constraints.some((one) => !one.invalid && one.admits(release)))
    .sort(compareVersions);
  const [oldest, newest] = [admitted[0], admitted.at(-1)];
  if (oldest === undefined || newest === undefined) return undefined;
  if (releases.every((one) => compareVersions(one, oldest) < 0)) {
    return { too: 'old', releases: `${oldest.raw} or newer` };
  }
  if (releases.every((one) => compareVersions(newest, one) < 0)) {
    return { too: 'new', releases: `${newest.raw} or older` };
  }
  return undefined;
}
