import type { Path } from '../../text/yaml/path.js';
import { shownValue } from '../shown-value.js';
import type { ApiDefinition, ApiVersion } from './api-definition.js';
import type { DefinitionFinding, DefinitionRule } from './definition-rule.js';

/** Versions that come, go, are no longer served, or in which objects are stored. */
export const findVersionChanges: DefinitionRule = function* (old, fresh) {
  const is = new Map(fresh.versions.map((version) => [version.name, version]));
  for (const version of old.versions) {
    const now = is.get(version.name);
    if (now === undefined) yield removed(version);
    else yield* kept(version, now);
  }
  const was = new Set(old.versions.map(({ name }) => name));
  for (const version of fresh.versions) {
    if (was.has(version.name)) continue;
    const text = `version ${version.name} added`;
    const at = { version: version.name, at: ['spec', 'versions'], after: namePlace(version) };
    yield { rule: 'version-added', severity: 'harmless', text, ...at };
  }
  yield* storage(old, fresh);
};

/** The name of a version is the part of it that is always written. */
function namePlace({ at }: ApiVersion): Path {
  return [...at, 'name'];
}

function removed(gone: ApiVersion): DefinitionFinding {
  const { name: version, stored, served } = gone;
  const rule = 'version-removed';
  const at = namePlace(gone);
  if (stored) {
    const text = `version ${version} removed, in which objects are stored: they must be rewritten in another first, and status.storedVersions no longer name it`;
    return { rule, severity: 'stored', text, version, at, after: ['spec', 'versions'] };
  }
  const text = `version ${version} removed; status.storedVersions must not name it`;
  const severity = served ? 'writers' : 'harmless';
  return { rule, severity, text, version, at, after: ['spec', 'versions'] };
}

function* kept(was: ApiVersion, is: ApiVersion): Iterable<DefinitionFinding> {
  const places = { version: was.name, at: namePlace(was), after: namePlace(is) };
  if (was.served && !is.served) {
    const text = `version ${was.name} is no longer served: what names it is refused`;
    yield { rule: 'version-unserved', severity: 'writers', text, ...places };
  } else if (is.served && !was.served) {
    const text = `version ${was.name} is served again`;
    yield { rule: 'version-served', severity: 'harmless', text, ...places };
  }
  if (is.written['deprecated'] === true && was.written['deprecated'] !== true) {
    const text = `version ${was.name} is deprecated now`;
    yield { rule: 'version-deprecated', severity: 'harmless', text, ...places };
  }
}

function* storage(old: ApiDefinition, fresh: ApiDefinition): Iterable<DefinitionFinding> {
  const [was, is] = [old, fresh].map(({ versions }) => versions.find(({ stored }) => stored));
  if (was === undefined || is === undefined || was.name === is.name) return;
  const moved = `objects are stored as ${is.name}, and were as ${was.name}`;
  const places = {
    rule: 'storage-changed',
    version: is.name,
    at: namePlace(was),
    after: namePlace(is),
  };
  if (fresh.conversion === 'None') {
    const text = `${moved}: fields that ${is.name} does not have are dropped`;
    yield { severity: 'stored', text, ...places };
  } else {
    const text = `${moved}; the way back needs the ${shownValue(fresh.conversion)} conversion`;
    yield { severity: 'writers', text, ...places };
  }
}
