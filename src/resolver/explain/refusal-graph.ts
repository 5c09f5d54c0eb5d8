import type { RefusalGraph, RefusalNode, RefusalEdge, RefusalClash } from './refusal.js';
import type { ConflictPoint } from './core-graph.js';
import { factClause, linkOf, presentationOf } from './fact-kinds.js';
import { type NounPhrases, placeText, rangeText } from './fact-clause.js';
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
  const inConflict = new Set(
    points.flatMap(({ clash, nodes }) => (clash === 'versions' ? nodes : [])),
  );
  return {
    nodes: builder.nodes(),
    edges: builder.edges.map((edge) =>
      inConflict.has(edge.to) ? { ...edge, isUnmet: true } : edge,
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
    const nodes = presentationOf(fact).nodes?.(fact, this.#nouns.subjects) ?? [];
    for (const term of nodes) this.#addVersions(term);
    const link = linkOf(fact);
    if (link === undefined) return;
    const { from, to, constraint } = link;
    const start = 'values' in from ? this.#addVersions(from) : this.#input(from);
    if (to !== undefined) this.#edge(start, to, constraint);
  }

  /** Returns the nodes that a fact alone makes unsatisfiable; empty if it needs other facts. */
  unmetNodes(fact: Fact): string[] {
    const { subjects } = this.#nouns;
    const nodes = presentationOf(fact).unmetNodes?.(fact, subjects) ?? [];
    const link = linkOf(fact);
    if (link === undefined) return nodes.map(({ variable }) => this.idOf(variable));
    const { from, to } = link;
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
      this.#nodes(variable, values),
    );
    return [...inputs, ...others.flat()];
  }

  /** Returns the node of a variable; for a package under development, the node of its input. */
  idOf(variable: Variable): string {
    const { subjects } = this.#nouns;
    const subject = subjects.subject(variable);
    if (subject.about === 'local') return this.#input(subject.root);
    const name = subjects.nameOf(variable);
    return subject.about === 'api' ? `API ${name}` : name;
  }

  /** Returns the node of a variable; none for a package under development, which is an input. */
  #nodes(variable: Variable, values: VersionSet): RefusalNode[] {
    const { subjects } = this.#nouns;
    const subject = subjects.subject(variable);
    const { about } = subject;
    if (about === 'local') return [];
    const node = { id: this.idOf(variable), about, name: subjects.nameOf(variable) };
    if (about !== 'package') {
      const isRelease = about === 'crossplane';
      const versions = isRelease ? this.#nouns.releases(VersionSet.all) : undefined;
      return [{ ...node, kind: undefined, versions }];
    }
    const expected = Array.from(subject.expectedKinds.values(), ({ kind }) => kind);
    const [kind] = [...subject.kinds.keys(), ...expected];
    const versions = values.isEmpty ? undefined : rangeText(subject.versions, values);
    return [{ ...node, kind, versions }];
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
