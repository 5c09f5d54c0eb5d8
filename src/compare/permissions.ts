import { listOf, mappingOf, type JsonObject, type JsonValue } from '../text/json.js';
import type { DocumentFinding } from './document-finding.js';
import { shownValue } from './shown-value.js';

/** Combinations of one request that are told one by one; of a longer one, its text is. */
const MAX_COMBINATIONS = 1_000;

const AT = ['spec', 'controller', 'permissionRequests'];

const tell = (rule: string, verb: string) => (permission: string) => ({
  rule,
  severity: 'harmless' as const,
  version: '',
  path: AT.join('.'),
  text: `${verb} to ${permission}`,
  before: AT,
  after: AT,
});

/** What a provider asks to be allowed beside its own objects, more or less than before. */
export function comparePermissions(before: JsonValue, after: JsonValue): DocumentFinding[] {
  const [was, is] = [permissionsIn(before), permissionsIn(after)];
  return [
    ...[...is].filter((each) => !was.has(each)).map(tell('permission-added', 'asks')),
    ...[...was].filter((each) => !is.has(each)).map(tell('permission-removed', 'no longer asks')),
  ];
}

/** `get secrets`: every combination of what the requests name, so that their grouping shows nowhere. */
function permissionsIn(meta: JsonValue): ReadonlySet<string> {
  const spec = mappingOf(mappingOf(meta)?.['spec']);
  const requests = listOf(mappingOf(spec?.['controller'])?.['permissionRequests']) ?? [];
  return new Set(requests.flatMap((request) => permissionsOf(mappingOf(request) ?? {})));
}

function permissionsOf(request: JsonObject): string[] {
  const sizes = ['verbs', 'apiGroups', 'resources'].map((field) => textsIn(request, field).length);
  const urls = textsIn(request, 'nonResourceURLs').length;
  if (sizes[0]! * (sizes[1]! * sizes[2]! + urls) > MAX_COMBINATIONS) return [shownValue(request)];
  const names = textsIn(request, 'resourceNames');
  const named = names.length === 0 ? '' : ` named ${names.join(', ')}`;
  return textsIn(request, 'verbs').flatMap((verb) => [
    ...textsIn(request, 'nonResourceURLs').map((url) => `${verb} ${url}`),
    ...textsIn(request, 'apiGroups').flatMap((group) =>
      textsIn(request, 'resources').map(
        (resource) => `${verb} ${resource}${group === '' ? '' : `.${group}`}${named}`,
      ),
    ),
  ]);
}

function textsIn(request: JsonObject, field: string): string[] {
  return (listOf(request[field]) ?? []).filter((text) => typeof text === 'string');
}
