import { listOf, mappingOf, stringOf } from '../../text/json.js';
import { shownValue } from '../shown-value.js';
import type { DefinitionRule } from './definition-rule.js';

/** Scope and names: what objects of a kind are addressed by. */
export const findNameChanges: DefinitionRule = function* (old, fresh) {
  if (old.scope !== fresh.scope) {
    const text = `scope changed from ${shownValue(old.scope)} to ${shownValue(fresh.scope)}: no API server takes that for a CRD that exists`;
    yield { rule: 'scope-changed', severity: 'stored', text, at: ['spec', 'scope'] };
  }
  for (const names of ['names', 'claimNames']) {
    const [was, is] = [mappingOf(old.spec[names]), mappingOf(fresh.spec[names])];
    if (was === undefined || is === undefined) continue;
    for (const [name, severity] of SINGLE) {
      const [from, to] = [stringOf(was[name]), stringOf(is[name])];
      if (from === to) continue;
      const text = `${names}.${name} changed from ${shownValue(from)} to ${shownValue(to)}`;
      yield { rule: 'name-changed', severity, text, at: ['spec', names, name] };
    }
    for (const name of ['shortNames', 'categories']) {
      const [from, to] = [listOf(was[name]) ?? [], listOf(is[name]) ?? []];
      const [had, has] = [new Set(from), new Set(to)];
      const gone = from.filter((each) => !has.has(each));
      const more = to.filter((each) => !had.has(each));
      const at = ['spec', names, name];
      if (gone.length > 0) {
        const text = `${names}.${name} is without ${shownValue(gone)} now`;
        yield { rule: 'name-removed', severity: 'readers', text, at };
      }
      if (more.length > 0) {
        const text = `${names}.${name} has ${shownValue(more)} too`;
        yield { rule: 'name-added', severity: 'harmless', text, at };
      }
    }
  }
};

const SINGLE = [
  ['plural', 'stored'],
  ['kind', 'stored'],
  ['listKind', 'readers'],
  ['singular', 'readers'],
] as const;
