import { isMapping } from '../text/json.js';
import { schemaCheck, type SchemaError } from '../text/json-schema.js';
import type { Path } from '../text/yaml/path.js';
import type { LocatedDocument } from './located-document.js';
import { LOCKFILE_VERSION } from './lockfile.js';
import { LOCKFILE_SCHEMA, type LockfileDocument } from './lockfile-schema.js';

/** Advice for a lockfile that was edited, merged or cut short. */
export const RESTORE_HINT =
  'restore it from version control, or delete it and run `xpkg-resolve resolve` again';

/** Advice for a file of another sort, which may be the only one of its sort. */
const OTHER_FILE_HINT = 'it is a file of another sort: let `--lock` name the lockfile';

const departures = schemaCheck(LOCKFILE_SCHEMA, { all: true });

/**
 * The value of a document that is held to the schema; throws an `InputError` that says where not.
 *
 * Loading ajv makes `render` and `tree` some 40 ms slower, of 230 ms with a small lockfile. With
 * 24,000 CRDs they take as long as with checks by hand, which had to know every line beforehand.
 */
export function checkLockfile(document: LocatedDocument): LockfileDocument {
  checkVersion(document);
  const errors = departures(document.value);
  // A field misspelled is both unknown and missing; the first says more.
  const error = errors.find(({ keyword }) => keyword === 'additionalProperties') ?? errors[0];
  if (error === undefined) return document.value as LockfileDocument; // held to the schema
  const [path, what, hint] = described(error);
  throw document.error(path, what, hint);
}

/** What the schema cannot say: a newer format, or the end of a file that was cut short. */
function checkVersion({ value, error }: LocatedDocument): void {
  if (!isMapping(value)) throw error([], 'is not a lockfile: it must be a mapping', RESTORE_HINT);
  if (!Object.hasOwn(value, 'version')) {
    const isOther = Object.hasOwn(value, 'kind');
    const hint = isOther ? OTHER_FILE_HINT : RESTORE_HINT;
    throw error([], 'is not a lockfile: it has no `version`', hint);
  }
  const { version } = value;
  if (typeof version !== 'number' || !Number.isInteger(version)) {
    throw error(['version'], 'must be an integer');
  }
  if (version > LOCKFILE_VERSION) {
    throw error(
      ['version'],
      `is ${version}, newer than this xpkg-resolve reads (${LOCKFILE_VERSION})`,
      'use the xpkg-resolve that wrote the lockfile, or a later one',
    );
  }
  if (version < 1) throw error(['version'], `must be ${LOCKFILE_VERSION}`, RESTORE_HINT);
  if (!Object.hasOwn(value, LAST_FIELD)) {
    const what = `is not a whole lockfile: \`${LAST_FIELD}\`, its last part, is missing`;
    throw error([], what, RESTORE_HINT);
  }
}

const LAST_FIELD: keyof LockfileDocument = 'skipDependencyResolution';

function described(error: SchemaError): [path: Path, what: string, hint?: string] {
  const { keyword, params, path, propertyName } = error;
  switch (keyword) {
    case 'additionalProperties': {
      const place = [...path, String(params['additionalProperty'])];
      if (path.at(-1) !== 'metadata') return [place, 'is not a field of this format'];
      const what = 'is not for a lockfile to set: of metadata it keeps labels and annotations';
      return [place, what, RESTORE_HINT];
    }
    case 'required':
      return [[...path, String(params['missingProperty'])], 'is missing'];
    case 'maxProperties':
      return [path, 'must name one package'];
    case 'pattern':
      return [path, 'must be `sha256:` and 64 lower-case hex digits'];
    case 'enum':
      // Of a key, where the schema says `propertyNames`.
      if (propertyName === undefined) {
        return [path, `must be one of ${[params['allowedValues']].flat().join(', ')}`];
      }
      return [[...path, propertyName], 'is not a kind of object that packages own'];
    case 'false schema':
      if (path.includes('demand')) return [path, 'does not go with `crd`'];
      return [path, 'is not for a lockfile to set', RESTORE_HINT];
    default:
      return [path, `must be ${TYPES[String(params['type'])] ?? 'of another type'}`];
  }
}

const TYPES: Readonly<Record<string, string>> = {
  string: 'a string',
  boolean: '`true` or `false`',
  array: 'a list',
  object: 'a mapping',
};
