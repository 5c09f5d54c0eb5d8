import { crdDemandText } from '../../model/crd-demand.js';
import { formatOrigin } from '../../model/input-error.js';
import type { Finding } from '../../model/package-meta.js';
import type { Repository } from '../../model/package.js';
import { selectorOf, selectorText, type Selector } from '../../model/selector.js';
import type { Fact } from '../../solver/fact.js';
import type { Term, Variable } from '../../solver/incompatibility.js';
import type { RootPackage } from '../../solver/problem.js';
import type { NounPhrases } from './noun-phrases.js';
import { ownershipText } from './ownership-text.js';
import { rulingText } from './ruling-text.js';
import { placeText } from './place-text.js';
import { unmetText } from './unmet-text.js';

/**
 * Part of step 3: a fact as a clause that can follow "because"; undefined: too plain to be worth
 * saying.
 */
export function factClause(fact: Fact, nouns: NounPhrases): string | undefined {
  switch (fact.fact) {
    case 'root':
      return `${asks(fact.root)} ${wantedText(fact.on, fact.root.selector, nouns)}`;
    case 'root-api':
      return `${asks(fact.root)} the API ${crdDemandText(fact.root.crd)}`;
    case 'requires': {
      return `${nouns.does(fact.by, 'require')} ${wantedText(fact.on, selectorOf(fact.constraint), nouns)}`;
    }
    case 'requires-api':
      return `${nouns.does(fact.by, 'require')} the API ${fact.text}`;
    case 'provides':
      return `${nouns.does(fact.by, 'own')} ${apiName(fact.api, nouns)}`;
    case 'crossplane': {
      const { by } = fact;
      const needs =
        'values' in by ? nouns.does(by, 'need') : `${by.by} (${formatOrigin(by.origin)}) needs`;
      return `${needs} Crossplane \`${fact.constraint}\``;
    }
    case 'owns':
      return ownershipText(fact.one, fact.other, nouns);
    case 'kind': {
      const by = 'values' in fact.by ? nouns.does(fact.by, 'require') : asks(fact.by);
      const on = nouns.name(nouns.package(fact.on).repository);
      return `${by} ${on} as a ${fact.wanted}, but ${nouns.does(fact.on, 'be')} a ${fact.found}`;
    }
    case 'missing':
      return `there is no ${nouns.some(fact.of)}`;
    case 'no-others':
      return noOthersClause(fact.variable, nouns);
    case 'rejected':
      return `Crossplane would refuse ${nouns.some(fact.of)} (${firstError(fact.findings)})`;
    case 'excluded':
      return `${nouns.does(fact.of, 'be')} excluded (${formatOrigin(fact.rule.origin)})`;
    case 'ruled-out': {
      const { ruling } = fact;
      return `${nouns.those(fact.of)} ${rulingText(ruling, nouns.isMany(fact.of))}`;
    }
    case 'cycle':
      return `${cycleText(fact.members, nouns)}: a cycle`;
  }
}

/** What is wanted of which package, and what is wrong with that if no version will do. */
export function wantedText(on: Term, selector: Selector, nouns: NounPhrases): string {
  const { repository } = nouns.package(on);
  const wanted = `${nouns.name(repository)} \`${selectorText(selector)}\``;
  return `${wanted}${overridden(repository, nouns)}${unmetText(on, selector, nouns)}`;
}

/** That an override decides on the versions, whatever is asked for. */
function overridden(repository: Repository, { problem }: NounPhrases): string {
  const rule = problem.overrides.get(repository);
  if (rule === undefined) return '';
  return ` (overridden: \`${selectorText(rule.selector)}\`, ${formatOrigin(rule.origin)})`;
}

/** That there are no further versions goes without saying. */
function noOthersClause(variable: Variable, nouns: NounPhrases): string | undefined {
  const subject = nouns.encoder.subject(variable);
  if (subject.about === 'crossplane') return nouns.target();
  if (subject.about !== 'api' || subject.owners.length > 0) return undefined;
  return `no package in the sources given owns ${crdDemandText(subject.demand)}`;
}

function apiName({ variable }: Term, { encoder }: NounPhrases): string {
  const subject = encoder.subject(variable);
  return subject.about === 'api' ? crdDemandText(subject.demand) : '';
}

function cycleText(members: readonly Term[], nouns: NounPhrases): string {
  const [first] = members;
  if (members.length === 1) return `${nouns.some(first!)} requires itself`;
  const rest = members.slice(1).map((member) => `${nouns.some(member)}, which requires`);
  const again = nouns.name(nouns.package(first!).repository);
  return `${nouns.some(first!)} requires ${rest.join(' ')} ${again}`;
}

/** Who wants something of the user's own, up to what is wanted. */
export function asks({ by, origin }: Pick<RootPackage, 'by' | 'origin'>): string {
  const place = placeText(origin);
  return by === undefined ? `${place} asks for` : `${by} (${place}) requires`;
}

/** Why the target refuses a package. */
export function firstError(findings: readonly Finding[]): string {
  return (findings.find(({ severity }) => severity === 'error') ?? findings[0])?.message ?? '';
}
