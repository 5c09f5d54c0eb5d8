import {
  IGNORED,
  ROOT,
  scanBlocks,
  TEXT,
  type KeyRole,
  type ScannedScalar,
} from './block-scanner.js';
import { hasSoleVersion } from '../model/definition.js';
import { isTwinOfTypeKey, type Identity } from './identity.js';

const METADATA = 3;
const LABELS = 4;
/** Only null is understood; no field of the identity. */
const TIMESTAMP = 5;
const SPEC = 6;
const NAMES = 7;
const CLAIM_NAMES = 8;
const VERSIONS = 9;
const VERSION = 10;
const SHORT_NAMES = 11;
const MAPPINGS: ReadonlySet<KeyRole> = new Set([
  ROOT,
  METADATA,
  LABELS,
  SPEC,
  NAMES,
  CLAIM_NAMES,
  VERSION,
]);

type Field =
  Exclude<keyof Identity, 'versions' | 'shortNames'> | 'version' | 'versionName' | 'shortName';
/** The role of a field is its index here, past those of collections. */
const FIELDS: readonly Field[] = [
  'apiVersion',
  'kind',
  'name',
  'group',
  'definedKind',
  'claimPlural',
  'claimKind',
  'version',
  'versionName',
  'shortName',
];
const FIRST_FIELD = SHORT_NAMES + 1;
const field = (name: Field): KeyRole => FIRST_FIELD + FIELDS.indexOf(name);

const ROLES: ReadonlyMap<KeyRole, ReadonlyMap<string, KeyRole>> = new Map([
  [
    ROOT,
    new Map([
      ['apiVersion', field('apiVersion')],
      ['kind', field('kind')],
      ['metadata', METADATA],
      ['spec', SPEC],
    ]),
  ],
  [
    METADATA,
    new Map([
      ['name', field('name')],
      ['labels', LABELS],
      ['annotations', LABELS],
      ['creationTimestamp', TIMESTAMP],
    ]),
  ],
  [
    SPEC,
    new Map([
      ['group', field('group')],
      ['version', field('version')],
      ['names', NAMES],
      ['claimNames', CLAIM_NAMES],
      ['versions', VERSIONS],
    ]),
  ],
  [
    NAMES,
    new Map([
      ['kind', field('definedKind')],
      ['shortNames', SHORT_NAMES],
    ]),
  ],
  [
    CLAIM_NAMES,
    new Map([
      ['plural', field('claimPlural')],
      ['kind', field('claimKind')],
    ]),
  ],
  [VERSION, new Map([['name', field('versionName')]])],
]);

/** The role of the items of a list. */
const ITEMS: ReadonlyMap<KeyRole, KeyRole> = new Map([
  [VERSIONS, VERSION],
  [SHORT_NAMES, field('shortName')],
]);

/**
 * The identity of a document, without parsing it; undefined: it takes a parser to tell.
 *
 * Where it answers, it agrees with `identityOf` on the parsed document.
 */
export function fastIdentity(text: string): Identity | undefined {
  const found = new Map<Field, string>();
  const versions: string[] = [];
  const shortNames: string[] = [];
  const understood = scanBlocks(text, {
    key: (role, key) => ROLES.get(role)?.get(key) ?? otherRole(role, key),
    item: (role) => ITEMS.get(role),
    mapping: (role) => MAPPINGS.has(role),
    scalar: (role, value) => keep(role, value),
  });

  function keep(role: KeyRole, value: ScannedScalar): boolean {
    if (value === null) return true;
    const name = FIELDS[role - FIRST_FIELD];
    if (name === undefined || typeof value !== 'string') return false;
    if (name === 'versionName') versions.push(value);
    else if (name === 'shortName') shortNames.push(value);
    else found.set(name, value);
    return true;
  }

  const apiVersion = found.get('apiVersion');
  const kind = found.get('kind');
  if (!understood || !apiVersion || !kind) return undefined;
  const version = hasSoleVersion(apiVersion) ? found.get('version') : undefined;
  return {
    apiVersion,
    kind,
    name: found.get('name'),
    group: found.get('group'),
    definedKind: found.get('definedKind'),
    versions: version === undefined ? versions : [version, ...versions],
    shortNames,
    claimPlural: found.get('claimPlural'),
    claimKind: found.get('claimKind'),
  };
}

/** What Go decodes is looked at: all of the metadata, and the keys of the document. */
function otherRole(role: KeyRole, key: string): KeyRole | undefined {
  if (role === LABELS) return TEXT;
  if (role === METADATA || (role === ROOT && isTwinOfTypeKey(key))) return undefined;
  return IGNORED;
}
