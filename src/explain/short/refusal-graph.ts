import { crdDemandText } from '../../model/crd-demand.js';
import type { PackageKind } from '../../model/package.js';
import { selectorText } from '../../model/selector.js';
import type { Encoder } from '../../solver/encoder/encoder.js';
import type { Subject } from '../../solver/encoder/subject.js';
import type { Fact } from '../../solver/fact.js';
import type { Term, Variable } from '../../solver/incompatibility.js';
import type { Problem, RootRequirement } from '../../solver/problem.js';
import type { Proof } from '../../solver/search-result.js';
import { VersionSet } from '../../solver/version-set.js';
import { proofFacts } from '../proof-facts.js';
import { factClause } from '../sentences/fact-clause.js';
import { NounPhrases } from '../sentences/noun-phrases.js';
import { placeText } from '../sentences/place-text.js';
import { rangeText } from '../sentences/range-text.js';
import { inTellingOrder } from '../telling-order.js';
import { Chains } from './chains.js';
import { CoreGraph } from './core-graph.js';
import { meetingPoints } from './meeting-points.js';
import { shortNames } from './short-names.js';

/** A refusal for those who draw it: who wants what of whom, and what cannot be. */
export interface RefusalGraph {
  readonly nodes: readonly RefusalNode[];
  readonly edges: readonly RefusalEdge[];
  readonly clashes: readonly RefusalClash[];
}

/** A place in an input, a package, an API that is asked for, or Crossplane. */
export interface RefusalNode {
  readonly id: string;
  readonly about: 'input' | 'package' | 'api' | 'crossplane';
  /** Of a package its repository. */
  readonly name: string;
  /** undefined: not a package, or none that was read. */
  readonly kind: PackageKind | undefined;
  /** The versions that are spoken of: `v1.0.0 to v1.2.0`; undefined: none. */
  readonly versions: string | undefined;
}

export interface RefusalEdge {
  readonly from: string;
  readonly to: string;
  /** As written; empty: it leads from an API to an owner. */
  readonly constraint: string;
  /** There is nothing that would do, or it is part of a clash of versions. */
  readonly isUnmet: boolean;
}

export interface RefusalClash {
  readonly clash: 'versions' | 'ownership' | 'crossplane' | 'fact';
  /** A sentence without its full stop. */
  readonly text: string;
  readonly nodes: readonly string[];
}

/** Part of step 3: the facts of a proof as a graph. */
export function refusalGraph(problem: Problem, proof: Proof): RefusalGraph {
  const { encoder } = proof;
  const facts = inTellingOrder(proofFacts(proof), encoder);
  const core = new CoreGraph(facts, encoder);
  const drawn = new Drawing(new NounPhrases(problem, encoder));
  for (const fact of facts) drawn.add(fact);
  const { name } = shortNames(drawn.repositories);
  const nouns = new NounPhrases(problem, encoder, name);
  const chains = new Chains(core, nouns);
  chains.lines();
  const meetings = meetingPoints(core, chains.told, nouns).map(({ clash, text, about }) => {
    const crossplane = clash === 'crossplane' ? [encoder.crossplane] : [];
    return { clash, text, nodes: [...about, ...crossplane].map((each) => drawn.idOf(each)) };
  });
  // The chains tell these; the sentences where they meet leave them out.
  const unmet = facts.flatMap((fact): RefusalClash[] => {
    const isTold = chains.told.has(fact) || fact.fact === 'no-others';
    const text = isTold && isUnmet(fact, encoder) ? factClause(fact, nouns) : undefined;
    return text === undefined ? [] : [{ clash: 'fact', text, nodes: drawn.clashing(fact) }];
  });
  const contested = new Set(
    meetings.flatMap(({ clash, nodes }) => (clash === 'versions' ? nodes : [])),
  );
  return {
    nodes: drawn.nodes(),
    edges: drawn.edges.map((edge) => (contested.has(edge.to) ? { ...edge, isUnmet: true } : edge)),
    clashes: [...meetings, ...unmet],
  };
}

/** Whether a fact alone says that something cannot be had. */
function isUnmet(fact: Fact, encoder: Encoder): boolean {
  switch (fact.fact) {
    case 'root':
    case 'requires':
      return fact.on.values.isEmpty;
    case 'crossplane':
      return fact.admits.isEmpty;
    case 'kind':
    case 'missing':
    case 'rejected':
    case 'excluded':
    case 'ruled-out':
    case 'cycle':
      return true;
    case 'no-others':
      return encoder.subject(fact.variable).about === 'api';
    case 'root-api':
    case 'requires-api':
    case 'provides':
    case 'owns':
      return false;
  }
}

/** Collects nodes and edges, each once, in the order in which facts are told. */
class Drawing {
  readonly edges: RefusalEdge[] = [];
  readonly #nouns: NounPhrases;
  readonly #inputs = new Map<string, string>();
  readonly #spokenOf = new Map<Variable, VersionSet>();

  constructor(nouns: NounPhrases) {
    this.#nouns = nouns;
  }

  get repositories(): readonly string[] {
    const subjects = Array.from(this.#spokenOf.keys(), (variable) => this.#subject(variable));
    return subjects.flatMap((each) => (each.about === 'package' ? [each.repository] : []));
  }

  add(fact: Fact): void {
    const crossplane = { variable: this.#nouns.encoder.crossplane, values: VersionSet.none };
    switch (fact.fact) {
      case 'root':
        return this.#edge(this.#input(fact.root), fact.on, selectorText(fact.root.selector));
      case 'root-api':
        return this.#edge(this.#input(fact.root), api(fact.on), crdDemandText(fact.root.crd));
      case 'requires':
        return this.#edge(this.#speak(fact.by), fact.on, fact.constraint);
      case 'requires-api':
        return this.#edge(this.#speak(fact.by), api(fact.on), fact.text);
      case 'provides':
        return this.#edge(this.#speak(fact.api), fact.by, '', false);
      case 'crossplane': {
        const from = 'values' in fact.by ? this.#speak(fact.by) : this.#input(fact.by);
        return this.#edge(from, crossplane, fact.constraint, fact.admits.isEmpty);
      }
      case 'no-others':
        if (fact.variable === crossplane.variable) this.#speak(crossplane);
        return;
      case 'owns':
      case 'kind':
      case 'missing':
      case 'rejected':
      case 'excluded':
      case 'ruled-out':
      case 'cycle':
        for (const term of termsOf(fact)) this.#speak(term);
    }
  }

  /** What is to blame in a fact that cannot be met: of a requirement, what is required. */
  clashing(fact: Fact): string[] {
    if (fact.fact === 'root' || fact.fact === 'requires') return [this.idOf(fact.on.variable)];
    if (fact.fact === 'crossplane') {
      const from = 'values' in fact.by ? this.idOf(fact.by.variable) : this.#input(fact.by);
      return [from, this.idOf(this.#nouns.encoder.crossplane)];
    }
    if (fact.fact === 'no-others') return [this.idOf(fact.variable)];
    return termsOf(fact).map(({ variable }) => this.idOf(variable));
  }

  nodes(): RefusalNode[] {
    const inputs = Array.from(this.#inputs, ([id, name]): RefusalNode => {
      return { id, about: 'input', name, kind: undefined, versions: undefined };
    });
    const others = Array.from(this.#spokenOf, ([variable, values]) =>
      this.#node(this.#subject(variable), values),
    );
    return [...inputs, ...others.filter((node) => node !== undefined)];
  }

  /** The name of the node that stands for a variable; of a package under development, its input. */
  idOf(variable: Variable): string {
    const subject = this.#subject(variable);
    switch (subject.about) {
      case 'package':
        return subject.repository;
      case 'crossplane':
        return 'Crossplane';
      case 'api':
        return `API ${crdDemandText(subject.demand)}`;
      case 'local':
        return this.#input(subject.root);
    }
  }

  #subject(variable: Variable): Subject {
    return this.#nouns.encoder.subject(variable);
  }

  #node(subject: Subject, values: VersionSet): RefusalNode | undefined {
    const id = this.idOf(subject.variable);
    switch (subject.about) {
      case 'package': {
        const kinds = [
          ...subject.kinds.keys(),
          ...Array.from(subject.expectedKinds.values(), ({ kind }) => kind),
        ];
        const versions = values.isEmpty ? undefined : rangeText(subject.versions, values);
        return { id, about: 'package', name: subject.repository, kind: kinds[0], versions };
      }
      case 'crossplane': {
        const versions = this.#nouns.releases(VersionSet.all);
        return { id, about: 'crossplane', name: 'Crossplane', kind: undefined, versions };
      }
      case 'api': {
        const name = crdDemandText(subject.demand);
        return { id, about: 'api', name, kind: undefined, versions: undefined };
      }
      case 'local':
        return undefined;
    }
  }

  #edge(from: string, on: Term, constraint: string, isVain = on.values.isEmpty): void {
    const to = this.#speak({ variable: on.variable, values: VersionSet.none });
    const same = this.edges.findIndex(
      (edge) => edge.from === from && edge.to === to && edge.constraint === constraint,
    );
    if (same < 0) this.edges.push({ from, to, constraint, isUnmet: isVain });
    else if (isVain) this.edges[same] = { ...this.edges[same]!, isUnmet: true };
  }

  #input({ by, origin }: Pick<RootRequirement, 'by' | 'origin'>): string {
    const name = by ?? placeText(origin);
    this.#inputs.set(`input ${name}`, name);
    return `input ${name}`;
  }

  #speak({ variable, values }: Term): string {
    const before = this.#spokenOf.get(variable) ?? VersionSet.none;
    this.#spokenOf.set(variable, before.or(values));
    return this.idOf(variable);
  }
}

/** An API has no versions. */
function api(variable: Variable): Term {
  return { variable, values: VersionSet.all };
}

/** The packages of a fact that is no requirement. */
function termsOf(fact: Fact): readonly Term[] {
  switch (fact.fact) {
    case 'owns':
      return [fact.one, fact.other];
    case 'kind':
      return [fact.on];
    case 'missing':
    case 'rejected':
    case 'excluded':
    case 'ruled-out':
      return [fact.of];
    case 'cycle':
      return fact.members;
    case 'root':
    case 'root-api':
    case 'requires':
    case 'requires-api':
    case 'provides':
    case 'crossplane':
    case 'no-others':
      return [];
  }
}
