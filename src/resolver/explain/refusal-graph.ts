import type { RefusalGraph, RefusalNode, RefusalEdge, RefusalClash } from './refusal.js';
import type { ConflictPoint } from './core-graph.js';
import { factClause, presentationOf } from './fact-kinds.js';
import { type NounPhrases, placeText, rangeText } from './fact-clause.js';
import { formatCrdRef } from '../../crossplane/packages/crd-ref.js';
import type { Subject } from '../solver/encoder-context.js';
import { type Fact, type Term, type Variable } from '../solver/incompatibility.js';
import type { RootRequirement } from '../solver/problem.js';
import { VersionSet } from '../solver/version-set.js';

/** Part of step 3: returns facts as a graph. `conflicts` and `inChains` come from the summary. */
export function refusalGraph(
  facts: readonly Fact[],
  conflicts: readonly ConflictPoint[],
  inChains: ReadonlySet<Fact>,
  nouns: NounPhrases,
): RefusalGraph {
  const builder = new RefusalGraphBuilder(nouns);
  for (const fact of facts) builder.add(fact);
  const points = conflicts.map(({ clash, text, about }): RefusalClash => {
    const crossplane = clash === 'crossplane' ? [nouns.subjects.crossplane] : [];
    return { clash, text, nodes: [...about, ...crossplane].map((each) => builder.idOf(each)) };
  });
  // These facts are part of a chain, so they are missing from the conflicts above.
  const unmet = facts.flatMap((fact): RefusalClash[] => {
    const isInChain = inChains.has(fact) || fact.fact === 'no-others';
    const nodes = isInChain ? builder.unmetNodes(fact) : [];
    const text = nodes.length > 0 ? factClause(fact, nouns) : undefined;
    return text === undefined ? [] : [{ clash: 'fact', text, nodes }];
  });
  const contested = new Set(
    points.flatMap(({ clash, nodes }) => (clash === 'versions' ? nodes : [])),
  );
  return {
    nodes: builder.nodes(),
    edges: builder.edges.map((edge) =>
      contested.has(edge.to) ? { ...edge, isUnmet: true } : edge,
    ),
    clashes: [...points, ...unmet],
  };
}

/** Collects nodes and edges, each once, in the order of presentation. */
class RefusalGraphBuilder {
  readonly edges: RefusalEdge[] = [];
  readonly #nouns: NounPhrases;
  readonly #inputs = new Map<string, string>();
  readonly #versions = new Map<Variable, VersionSet>();

  constructor(nouns: NounPhrases) {
    this.#nouns = nouns;
  }

  add(fact: Fact): void {
    const presentation = presentationOf(fact);
    if ('nodes' in presentation) {
      for (const term of presentation.nodes(fact, this.#nouns.subjects)) this.#addVersions(term);
      return;
    }
    const { from, to, constraint } = presentation.link(fact);
    const start = 'values' in from ? this.#addVersions(from) : this.#input(from);
    if (to !== undefined) this.#edge(start, to, constraint);
  }

  /** Returns the nodes that make a fact impossible; none if it alone makes nothing impossible. */
  unmetNodes(fact: Fact): string[] {
    const { subjects } = this.#nouns;
    const presentation = presentationOf(fact);
    if ('nodes' in presentation) {
      const nodes = presentation.isUnmet(fact, subjects) ? presentation.nodes(fact, subjects) : [];
      return nodes.map(({ variable }) => this.idOf(variable));
    }
    const { from, to } = presentation.link(fact);
    const start = 'values' in from ? this.idOf(from.variable) : this.#input(from);
    if (to === undefined) return [start];
    if (!to.values.isEmpty) return [];
    const required = this.idOf(to.variable);
    return to.variable === subjects.crossplane ? [start, required] : [required];
  }

  nodes(): RefusalNode[] {
    const inputs = Array.from(this.#inputs, ([id, name]): RefusalNode => {
      return { id, about: 'input', name, kind: undefined, versions: undefined };
    });
    const others = Array.from(this.#versions, ([variable, values]) =>
      this.#node(this.#subject(variable), values),
    );
    return [...inputs, ...others.filter((node) => node !== undefined)];
  }

  /** Returns the node of a variable; for a package under development, the node of its input. */
  idOf(variable: Variable): string {
    const subject = this.#subject(variable);
    switch (subject.about) {
      case 'package':
        return subject.repository;
      case 'crossplane':
        return 'Crossplane';
      case 'api':
        return `API ${formatCrdRef(subject.demand)}`;
      case 'local':
        return this.#input(subject.root);
    }
  }

  #subject(variable: Variable): Subject {
    return this.#nouns.subjects.subject(variable);
  }

  #node(subject: Subject, values: VersionSet): RefusalNode | undefined {
    const id = this.idOf(subject.variable);
    const unknown = { kind: undefined, versions: undefined };
    switch (subject.about) {
      case 'package': {
        const expected = Array.from(subject.expectedKinds.values(), ({ kind }) => kind);
        const [kind] = [...subject.kinds.keys(), ...expected];
        const versions = values.isEmpty ? undefined : rangeText(subject.versions, values);
        return { id, about: 'package', name: subject.repository, kind, versions };
      }
      case 'crossplane': {
        const versions = this.#nouns.releases(VersionSet.all);
        return { id, about: 'crossplane', name: 'Crossplane', kind: undefined, versions };
      }
      case 'api':
        return { id, about: 'api', name: formatCrdRef(subject.demand), ...unknown };
      case 'local':
        return undefined;
    }
  }

  #edge(from: string, on: Term, constraint: string): void {
    const isUnmet = on.values.isEmpty;
    const to = this.#addVersions({ variable: on.variable, values: VersionSet.none });
    const same = this.edges.findIndex(
      (edge) => edge.from === from && edge.to === to && edge.constraint === constraint,
    );
    if (same < 0) this.edges.push({ from, to, constraint, isUnmet });
    else if (isUnmet) this.edges[same] = { ...this.edges[same]!, isUnmet: true };
  }

  #input({ by, origin }: Pick<RootRequirement, 'by' | 'origin'>): string {
    const name = by ?? placeText(origin);
    this.#inputs.set(`input ${name}`, name);
    return `input ${name}`;
  }

  #addVersions({ variable, values }: Term): string {
    const before = this.#versions.get(variable) ?? VersionSet.none;
    this.#versions.set(variable, before.or(values));
    return this.idOf(variable);
  }
}
