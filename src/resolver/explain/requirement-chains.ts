import { type Claim, claimAbout, type CoreGraph } from './core-graph.js';
import { linkOf, predicateOf, startClause } from './fact-kinds.js';
import { requiredText, conjugate, type NounPhrases, rangeText } from './fact-clause.js';
import { andList } from '../../base/messages.js';
import type { Fact, Term, Variable } from '../solver/incompatibility.js';
import type { RootRequirement } from '../solver/problem.js';
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
    return this.#graph.facts.flatMap((fact) => {
      const { from: root, to } = linkOf(fact) ?? {};
      if (root === undefined || to === undefined || 'values' in root) return [];
      this.#facts.add(fact);
      const clause = startClause(fact, this.#nouns);
      const { variable, values } = to;
      const text = `${clause}${this.#kindClause(variable, root)}`;
      return this.#follow({ text, to: variable, values, indent: '', isStart: true });
    });
  }

  #follow(chain: Chain): string[] {
    const { text, indent, to } = chain;
    const claims = this.#newClaims(chain);
    const [claim] = claims;
    if (claim === undefined) {
      const end = this.#nouns.subjects.subject(to);
      const isUnowned = end.about === 'api' && end.owners.length === 0;
      const clause = isUnowned ? ', and no package in the sources given owns it' : '';
      return [`${indent}${text}${clause}.`];
    }
    if (claims.length === 1) {
      return this.#append(`${text}, ${this.#relativeClause(claim, chain)}`, claim, indent);
    }
    const nestedIndent = `${indent}  `;
    if (claims.every((each) => each.facts[0]!.fact === 'requires' && coversChain(each, chain))) {
      const required = claims.map(({ facts }) => {
        const requirements = facts.filter((fact) => fact.fact === 'requires');
        return requiredText(requirements, { nouns: this.#nouns, graph: this.#graph });
      });
      const lines = claims.flatMap((each, i) => this.#append(required[i]!, each, nestedIndent));
      const arePlainRequirements = lines.every(
        (line, i) => line === `${nestedIndent}${required[i]}.`,
      );
      if (arePlainRequirements) return [`${indent}${text}, which requires ${andList(required)}.`];
      return [`${indent}${text}, which requires:`, ...lines];
    }
    const lines = claims.flatMap((each) => this.#append(this.#sentence(each), each, nestedIndent));
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
    const isEvery = chain.isStart && claim.by.values.onlyMember === undefined;
    return `${isEvery ? 'every version of which' : 'which'} ${this.#predicate(claim, false)}`;
  }

  /** Returns a sentence about versions of the package in the line above. */
  #sentence(claim: Claim): string {
    const { by } = claim;
    if (claim.facts[0]!.fact === 'provides') return `${this.#ownersClause(claim)} it`;
    const versions = rangeText(this.#nouns.package(by).versions, by.values, andList);
    return `${versions} ${this.#predicate(claim, this.#nouns.isMany(by))}`;
  }

  /** Returns the predicate for versions: `requires b ^1.0.0`, `are excluded (xpkg.yaml:9)`. */
  #predicate({ facts, by }: Claim, isMany: boolean): string {
    return predicateOf(facts, { nouns: this.#nouns, graph: this.#graph, by, isMany });
  }

  #ownersClause({ facts }: Claim): string {
    const owners = facts.flatMap((fact) => (fact.fact === 'provides' ? [fact.by] : []));
    const names = owners.map((owner) => this.#nouns.anyOf(owner));
    const isMany = owners.length > 1 || this.#nouns.isMany(owners[0]!);
    return `${andList(names)} ${conjugate('own', isMany)}`;
  }

  /** Returns a clause if a package is required as a kind that it is not. */
  #kindClause(variable: Variable, by: Term | RootRequirement): string {
    const isOf = (other: Term | RootRequirement) =>
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
