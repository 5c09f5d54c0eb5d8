import { crdDemandText } from '../model/crd-demand.js';
import type { Fact } from './fact.js';
import type { Variable } from './incompatibility.js';
import type { RootRequirement } from './problem.js';
import type { Subject } from './encoder/subject.js';

/** Says what the variables and roots in a fact stand for. */
export interface Names {
  subject(variable: Variable): Subject;
  rootIndex(root: RootRequirement): number;
}

/**
 * Names what a fact says, without the versions that it was found for: one statement has one key in
 * every search for a request, in whatever order things are asked there.
 */
export function factKey(fact: Fact, names: Names): string {
  const name = (variable: Variable) => subjectName(names.subject(variable), names);
  switch (fact.fact) {
    case 'root':
    case 'root-api':
      return `root ${names.rootIndex(fact.root)}`;
    case 'requires':
      return `requires ${name(fact.by.variable)} ${name(fact.on.variable)} ${fact.constraint}`;
    case 'requires-api':
      return `requires ${name(fact.by.variable)} ${fact.text}`;
    case 'provides':
      return `provides ${name(fact.api.variable)} ${name(fact.by.variable)}`;
    case 'crossplane':
      return 'values' in fact.by
        ? `crossplane ${name(fact.by.variable)} ${fact.constraint}`
        : `root ${names.rootIndex(fact.by)}`;
    case 'owns':
      return `owns ${[name(fact.one.variable), name(fact.other.variable)].sort().join(' ')}`;
    case 'kind': {
      const by = 'values' in fact.by ? name(fact.by.variable) : names.rootIndex(fact.by);
      return `kind ${by} ${name(fact.on.variable)} ${fact.wanted}`;
    }
    case 'missing':
      return `missing ${name(fact.of.variable)}`;
    case 'no-others':
      return `no others ${name(fact.variable)}`;
    case 'rejected':
      return `rejected ${name(fact.of.variable)}`;
    case 'excluded':
      return `excluded ${name(fact.of.variable)}`;
    case 'ruled-out':
      return `ruled out ${fact.ruling.by} ${name(fact.of.variable)}`;
    case 'cycle':
      return `cycle ${fact.members
        .map((member) => name(member.variable))
        .sort()
        .join(' ')}`;
  }
}

export function subjectName(subject: Subject, names: Pick<Names, 'rootIndex'>): string {
  switch (subject.about) {
    case 'package':
      return subject.repository;
    case 'crossplane':
      return 'Crossplane';
    case 'api':
      return crdDemandText(subject.demand);
    case 'local':
      return `root ${names.rootIndex(subject.root)}`;
  }
}

/** Whether the user or a publisher can change the fact; what does not exist, they cannot change. */
export function isDebatable(fact: Fact): boolean {
  switch (fact.fact) {
    case 'root':
    case 'root-api':
    case 'requires':
    case 'requires-api':
    case 'crossplane':
    case 'owns':
    case 'kind':
    case 'excluded':
    case 'cycle':
      return true;
    case 'ruled-out':
      // What it would be like without the rule is not looked at: the registry must not be asked.
      return fact.ruling.by !== 'registries';
    case 'provides':
    case 'missing':
    case 'no-others':
    case 'rejected':
      return false;
  }
}
