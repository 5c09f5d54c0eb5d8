import { crdDemandText } from '../../model/crd-demand.js';
import { formatOrigin } from '../../model/input-error.js';
import { isDigest } from '../../text/digest.js';
import type { Finding } from '../../model/package-meta.js';
import { effectiveRepository, effectiveSelector } from '../../solver/effective.js';
import type { Fact, Some } from '../../solver/fact.js';
import type { Term } from '../../solver/incompatibility.js';
import { ABSENT, FIRST } from '../../solver/encoder/package-versions.js';
import type { RootPackage, Problem } from '../../solver/problem.js';
import { andList, orList, rangeText } from './range-text.js';
import { rivalryText } from './ownership-text.js';
import type { PackageSubject } from '../../solver/encoder/subject.js';
import { VersionSet } from '../../solver/version-set.js';
import type { Encoder } from '../../solver/encoder/encoder.js';
import { selectorOf, selectorText, type Selector } from '../../model/selector.js';

/** Facts and incompatibilities in words, for one search. */
export class Sentences {
  private readonly problem: Problem;
  private readonly encoder: Encoder;

  constructor(problem: Problem, encoder: Encoder) {
    this.problem = problem;
    this.encoder = encoder;
  }

  /** A fact as a clause that can follow "because"; undefined: too plain to be worth saying. */
  fact(fact: Fact): string | undefined {
    switch (fact.fact) {
      case 'root':
        return `${asks(fact.root)} ${this.package(fact.on).repository} ${this.demanded(fact.root)}${this.unmet(fact.on, this.effective(fact.on, fact.root.selector))}`;
      case 'root-api':
        return `${asks(fact.root)} the API ${crdDemandText(fact.root.crd)}`;
      case 'requires': {
        const on = this.package(fact.on);
        return `${this.some(fact.by)} requires ${on.repository} \`${fact.constraint}\`${this.overridden(on)}${this.unmet(fact.on, this.effective(fact.on, selectorOf(fact.constraint)))}`;
      }
      case 'requires-api':
        return `${this.some(fact.by)} requires the API ${fact.text}`;
      case 'provides':
        return `${this.some(fact.by)} owns ${this.api(fact.api)}`;
      case 'crossplane': {
        const by =
          'values' in fact.by
            ? this.some(fact.by)
            : `${fact.by.by} (${formatOrigin(fact.by.origin)})`;
        return `${by} needs Crossplane \`${fact.constraint}\``;
      }
      case 'owns':
        return rivalryText(fact.one, fact.other, this.encoder, (some) => this.some(some));
      case 'kind': {
        const by = 'values' in fact.by ? `${this.some(fact.by)} requires` : asks(fact.by);
        const on = this.package(fact.on).repository;
        return `${by} ${on} as a ${fact.wanted}, but ${this.some(fact.on)} is a ${fact.found}`;
      }
      case 'missing':
        return `there is no ${this.some(fact.of)}`;
      case 'no-others':
        return this.noOthers(fact.variable);
      case 'rejected':
        return `Crossplane would refuse ${this.some(fact.of)} (${firstError(fact.findings)})`;
      case 'excluded':
        return `${this.some(fact.of)} is excluded (${formatOrigin(fact.rule.origin)})`;
      case 'cycle':
        return `${this.cycle(fact.members)}: a cycle`;
    }
  }

  /** The releases that are asked for, as a clause. */
  target(): string {
    return `the target is Crossplane ${this.releases(VersionSet.all)}`;
  }

  /** What must not be, as what follows from it. */
  conclusion(terms: readonly Term[]): string {
    const crossplane = terms.find(({ variable }) => variable === this.encoder.crossplane);
    const others = terms.filter((term) => term !== crossplane);
    const present = others.filter((term) => !isNegative(term)).map((term) => this.some(term));
    const wanted = others.filter(isNegative).map((term) => this.some(complement(term)));
    if (crossplane !== undefined) {
      const releases = this.releases(complement(crossplane).values);
      if (wanted.length === 0) {
        return present.length === 0
          ? `Crossplane must be ${releases}`
          : `${andList(present)} ${present.length === 1 ? 'needs' : 'need'} Crossplane ${releases}`;
      }
      wanted.push(`Crossplane ${releases}`);
    }
    if (wanted.length > 0) {
      if (present.length === 0) return `${orList(wanted)} is needed`;
      return `${andList(present)} ${present.length === 1 ? 'requires' : 'together require'} ${orList(wanted)}`;
    }
    if (present.length === 0) return 'no set of versions satisfies everything';
    if (present.length === 1) return `${present[0]!} cannot be used`;
    return `${andList(present)} cannot be installed together`;
  }

  /** `acme/provider v1.0.0 to v1.2.0`, `every version of acme/provider`. */
  some({ variable, values }: Some): string {
    const subject = this.encoder.subject(variable);
    switch (subject.about) {
      case 'package': {
        const range = rangeText(subject.versions, values);
        const words = /^(every version|no version|\d+ versions)(.*)$/.exec(range);
        if (words === null) return `${subject.repository} ${range}`;
        return `${words[1]!} of ${subject.repository}${words[2]!}`;
      }
      case 'crossplane':
        return `Crossplane ${this.releases(values)}`;
      case 'api':
        return `a package that owns ${crdDemandText(subject.demand)}`;
      case 'local':
        return subject.root.by!;
    }
  }

  /** What is asked for, where an override may say otherwise. */
  demanded({ selector, repository }: RootPackage): string {
    const subject = this.encoder.package(effectiveRepository(this.problem, repository));
    return `\`${selectorText(selector)}\`${this.overridden(subject)}`;
  }

  package({ variable }: Some): PackageSubject {
    const subject = this.encoder.subject(variable);
    if (subject.about !== 'package') throw new Error('not about a package');
    return subject;
  }

  private effective(on: Some, selector: Selector): Selector {
    return effectiveSelector(this.problem, this.package(on).repository, selector);
  }

  private overridden({ repository }: PackageSubject): string {
    const rule = this.problem.overrides.get(repository);
    if (rule === undefined) return '';
    return ` (overridden: \`${selectorText(rule.selector)}\`, ${formatOrigin(rule.origin)})`;
  }

  /** Why a demand admits nothing, if it does. */
  private unmet(on: Some, selector: Selector): string {
    if (selector.form === 'digest' || (selector.form === 'range' && isDigest(selector.text))) {
      return ' (what is installed by digest satisfies no range)';
    }
    if (!on.values.isEmpty) return '';
    const { versions, exists } = this.package(on);
    if (!exists) return ' (there is no such package)';
    const ascending = versions.ascending();
    if (ascending.length === 0) return ' (it has no version to install)';
    if (versions.admitsOnlyPrereleases(selector)) {
      const text = selector.form === 'range' ? selector.text : '';
      return ` (only prereleases are in that range, and it admits none unless it names one: \`${text}-0\`)`;
    }
    const all = VersionSet.of(ascending);
    const there = ascending.length === 1 ? versions.label(ascending[0]!) : this.span(versions, all);
    return ` (no version matches: there is ${there})`;
  }

  private span(versions: PackageSubject['versions'], all: VersionSet): string {
    const inside = versions.ascending().filter((value) => all.has(value));
    return `${versions.label(inside[0]!)} to ${versions.label(inside.at(-1)!)}`;
  }

  private noOthers(variable: number): string | undefined {
    const subject = this.encoder.subject(variable);
    switch (subject.about) {
      case 'crossplane':
        return this.target();
      case 'api':
        return subject.owners.length === 0
          ? `no package in the sources given owns ${crdDemandText(subject.demand)}`
          : undefined;
      case 'package':
      case 'local':
        return undefined;
    }
  }

  private api({ variable }: Some): string {
    const subject = this.encoder.subject(variable);
    return subject.about === 'api' ? crdDemandText(subject.demand) : '';
  }

  private cycle(members: readonly Some[]): string {
    const [first] = members;
    const rest = members.slice(1).map((member) => `${this.some(member)}, which requires`);
    const back = this.package(first!).repository;
    if (members.length === 1) return `${this.some(first!)} requires itself`;
    return `${this.some(first!)} requires ${rest.join(' ')} ${back}`;
  }

  private releases(values: VersionSet): string {
    const inside = this.problem.releases.filter((_, i) => values.has(FIRST + i));
    if (inside.length === 0) return 'of another version';
    if (inside.length === 1) return inside[0]!.raw;
    return `${inside.at(-1)!.raw} to ${inside[0]!.raw}`;
  }
}

function asks({ by, origin }: { by: string | undefined; origin: RootPackage['origin'] }): string {
  const place = formatOrigin(origin);
  return by === undefined ? `${place} asks for` : `${by} (${place}) requires`;
}

function isNegative({ values }: Term): boolean {
  return values.has(ABSENT);
}

function complement({ variable, values }: Term): Term {
  return { variable, values: values.complement() };
}

function firstError(findings: readonly Finding[]): string {
  return (findings.find(({ severity }) => severity === 'error') ?? findings[0])?.message ?? '';
}
