import { crdDemandText } from '../../model/crd-demand.js';
import { formatOrigin } from '../../model/input-error.js';
import type { Fact } from '../../solver/fact.js';
import type { Term, Variable } from '../../solver/incompatibility.js';
import type { RootPackage } from '../../solver/problem.js';
import { VersionSet } from '../../solver/version-set.js';
import { asks, wantedText } from '../sentences/fact-clause.js';
import type { NounPhrases } from '../sentences/noun-phrases.js';
import { rangeText } from '../sentences/range-text.js';
import { conjugated } from '../sentences/verb.js';
import { andList } from '../sentences/word-list.js';
import { sayingOf, type CoreGraph, type Saying } from './core-graph.js';
import { neededCrossplane } from './patterns/release-gap.js';
import { predicate, requiredText } from './predicate.js';

/** A sentence so far, and the package or API that it has come to. */
interface Chain {
  readonly text: string;
  readonly to: Variable;
  /** The versions that are wanted along the way. */
  readonly values: VersionSet;
  readonly indent: string;
  /** What the user asks for, and nothing beyond it yet. */
  readonly isStart: boolean;
}

/**
 * Who wants what, from each root inwards: a sentence for each chain of requirements. Where a
 * package requires several things, each is a line below the sentence, indented by two blanks.
 *
 * What versions of a package require is told once, where a chain first comes to them.
 */
export class Chains {
  readonly #graph: CoreGraph;
  readonly #nouns: NounPhrases;
  readonly #toldOf = new Map<Saying, VersionSet>();
  readonly #told = new Set<Fact>();

  constructor(graph: CoreGraph, nouns: NounPhrases) {
    this.#graph = graph;
    this.#nouns = nouns;
  }

  /** The facts that the chains contain, in the order of telling; complete after `lines`. */
  get told(): ReadonlySet<Fact> {
    return this.#told;
  }

  lines(): string[] {
    return this.#graph.starts.flatMap((start) => {
      this.#told.add(start);
      const begun = { indent: '', isStart: true };
      switch (start.fact) {
        case 'root': {
          const { root, on } = start;
          const wanted = wantedText(on, root.selector, this.#nouns);
          const text = `${asks(root)} ${wanted}${this.#kindText(on.variable, root)}`;
          return this.#follow({ ...begun, text, to: on.variable, values: on.values });
        }
        case 'root-api': {
          const text = `${asks(start.root)} the API ${crdDemandText(start.root.crd)}`;
          return this.#follow({ ...begun, text, to: start.on, values: VersionSet.all });
        }
        case 'crossplane':
          return [`${this.#localNeeds(start)}.`];
      }
    });
  }

  /** The Crossplane that a package under development needs. */
  #localNeeds(fact: Extract<Fact, { fact: 'crossplane' }>): string {
    if ('values' in fact.by) throw new Error('no chain starts at a published package');
    const { by, origin } = fact.by;
    const needed = neededCrossplane([fact], this.#nouns);
    return `${by} (${formatOrigin(origin)}) needs Crossplane ${needed}`;
  }

  #follow(chain: Chain): string[] {
    const { text, indent, to } = chain;
    const sayings = this.#newSayings(chain);
    const [saying] = sayings;
    if (saying === undefined) return [`${indent}${text}${this.#unowned(to)}.`];
    if (sayings.length === 1) {
      return this.#say(`${text}, ${this.#which(saying, chain)}`, saying, indent);
    }
    const below = `${indent}  `;
    if (sayings.every((each) => each.facts[0]!.fact === 'requires' && isOfAll(each, chain))) {
      const required = sayings.map((each) => requiredText(each.facts, this.#graph, this.#nouns));
      const lines = sayings.flatMap((each, i) => this.#say(required[i]!, each, below));
      const leadOn = lines.some((line, i) => line !== `${below}${required[i]}.`);
      if (!leadOn) return [`${indent}${text}, which requires ${andList(required)}.`];
      return [`${indent}${text}, which requires:`, ...lines];
    }
    const lines = sayings.flatMap((each) => this.#say(this.#these(each), each, below));
    return [`${indent}${text}:`, ...lines];
  }

  /** What the versions at the end of a chain say, as far as no chain has told it of them. */
  #newSayings({ to, values }: Chain): Saying[] {
    return this.#graph.sayings(to).flatMap((saying) => {
      const known = this.#toldOf.get(saying) ?? VersionSet.none;
      const here = sayingOf(saying, values);
      if (here === undefined || here.by.values.isSubsetOf(known)) return [];
      this.#toldOf.set(saying, known.or(here.by.values));
      return [here];
    });
  }

  #say(text: string, saying: Saying, indent: string): string[] {
    for (const fact of saying.facts) this.#told.add(fact);
    const { to, values } = saying;
    if (to === undefined) return [`${indent}${text}.`];
    const more = this.#kindText(to, saying.by);
    return this.#follow({ text: `${text}${more}`, to, values, indent, isStart: false });
  }

  /** A saying as a clause about the package that the chain has come to. */
  #which(saying: Saying, chain: Chain): string {
    if (saying.facts[0]!.fact === 'provides') return `which ${this.#owners(saying)}`;
    if (!isOfAll(saying, chain)) return `of which ${this.#these(saying)}`;
    const which = chain.isStart && !isSingle(saying.by) ? 'every version of which' : 'which';
    return `${which} ${predicate(saying, false, this.#graph, this.#nouns)}`;
  }

  /** A saying as a sentence about versions of the package that stands above. */
  #these(saying: Saying): string {
    const { by } = saying;
    if (saying.facts[0]!.fact === 'provides') return `${this.#owners(saying)} it`;
    const versions = rangeText(this.#nouns.package(by).versions, by.values, andList);
    return `${versions} ${predicate(saying, this.#nouns.isMany(by), this.#graph, this.#nouns)}`;
  }

  #owners({ facts }: Saying): string {
    const owners = facts.flatMap((fact) => (fact.fact === 'provides' ? [fact.by] : []));
    const names = owners.map((owner) => this.#nouns.some(owner));
    const isMany = owners.length > 1 || this.#nouns.isMany(owners[0]!);
    return `${andList(names)} ${conjugated('own', isMany)}`;
  }

  /** That no package owns an API. */
  #unowned(variable: Variable): string {
    const subject = this.#nouns.encoder.subject(variable);
    if (subject.about !== 'api' || subject.owners.length > 0) return '';
    return ', and no package in the sources given owns it';
  }

  /** That it is wanted as a package of a kind that it is not. */
  #kindText(variable: Variable, by: Term | RootPackage): string {
    const isOf = (other: Term | RootPackage) =>
      'values' in other && 'values' in by
        ? other.variable === by.variable && by.values.isSubsetOf(other.values)
        : other === by;
    for (const fact of this.#graph.facts) {
      if (fact.fact !== 'kind' || fact.on.variable !== variable || !isOf(fact.by)) continue;
      this.#told.add(fact);
      return ` as a ${fact.wanted}, though it is a ${fact.found}`;
    }
    return '';
  }
}

/** Whether all versions that a chain has come to say it. */
function isOfAll({ by }: Saying, { values }: Chain): boolean {
  return values.isSubsetOf(by.values);
}

function isSingle({ values }: Term): boolean {
  return values.only !== undefined;
}
