import type { ErrorObject, ValidateFunction } from 'ajv';
import { formatOrigin, InputError } from '../../model/input-error.js';
import type { JsonValue } from '../../text/json.js';
import { didYouMean } from '../../text/did-you-mean.js';
import { formatPath, type InputDocument } from '../document.js';
import type { Path } from '../../text/yaml/places.js';
import { PACKAGE_SET_SCHEMA } from './package-set-schema.js';

const SHOWN = 10;

/** Made by the first who needs it: it depends on nothing but the schema. */
let validator: Promise<ValidateFunction> | undefined;

/** Throws an `InputError` that names every place where a document departs from the schema. */
export async function checkPackageSet(document: InputDocument): Promise<void> {
  const validate = await (validator ??= loadValidator());
  if (validate(document.value)) return;
  const problems = (validate.errors ?? [])
    // Which alternative failed how is noise beside "exactly one of".
    .filter((error) => !error.schemaPath.includes('/oneOf/'))
    .map((error) => describe(error, document))
    .sort((a, b) => (a.origin.line ?? 0) - (b.origin.line ?? 0));
  const [first, ...rest] = problems.slice(0, SHOWN);
  const lines = rest.map(({ origin, message }) => `${formatOrigin(origin)}: ${message}`);
  const left = problems.length - SHOWN;
  if (left > 0) lines.push(`and ${left} more`);
  throw new InputError([first!.message, ...lines].join('\n'), { origin: first!.origin });
}

/**
 * Loading ajv takes longer than reading any input: only who has a PackageSet pays, and only for
 * what a schema known to be sound needs.
 */
async function loadValidator(): Promise<ValidateFunction> {
  const { Ajv2020 } = await import('ajv/dist/2020.js');
  const ajv = new Ajv2020({
    allErrors: true,
    verbose: true,
    ownProperties: true,
    strict: false,
    meta: false,
    validateSchema: false,
    code: { optimize: false },
  });
  return ajv.compile(PACKAGE_SET_SCHEMA);
}

function describe(error: ErrorObject, document: InputDocument) {
  const path = toPath(error.instancePath, document.value);
  const at = error.keyword === 'additionalProperties' ? [...path, unknownField(error)] : path;
  const where = at.length === 0 ? 'the document' : `\`${formatPath(at)}\``;
  return { origin: document.originOf(at), message: `${where} ${what(error, document, path)}` };
}

function what(error: ErrorObject, document: InputDocument, path: Path): string {
  switch (error.keyword) {
    case 'additionalProperties':
      return unknown(error);
    case 'required':
      return `lacks \`${String(error.params['missingProperty'])}\``;
    case 'type':
      return wrongType(error, document.spellingOf(path));
    case 'oneOf':
      return 'must name exactly one of `provider`, `configuration`, `function`, `package` and `crd`';
    case 'false schema':
      return 'does not go with `crd`';
    case 'enum':
      return `must be one of ${quoted([error.params['allowedValues']].flat().filter((value) => value !== null))}`;
    case 'const':
      return `must be ${quoted([error.params['allowedValue']])}`;
    case 'minLength':
      return 'must not be empty';
    default:
      return error.message ?? 'is not valid';
  }
}

function unknownField(error: ErrorObject): string {
  return String(error.params['additionalProperty']);
}

function unknown(error: ErrorObject): string {
  const known = Object.keys((error.parentSchema?.['properties'] ?? {}) as object);
  const meant = didYouMean(unknownField(error), known);
  return meant === undefined
    ? `is not a field; there are ${quoted(known)}`
    : `is not a field; did you mean \`${meant}\`?`;
}

const A: Readonly<Record<string, string>> = {
  string: 'text',
  object: 'a mapping',
  array: 'a list',
  integer: 'a whole number',
  boolean: '`true` or `false`',
};

function wrongType(error: ErrorObject, spelling: string | undefined): string {
  const wanted = [error.params['type'] as string | readonly string[]].flat();
  const names = wanted.flatMap((type) => A[type] ?? []).join(' or ');
  const scalar = ['number', 'boolean'].includes(typeof error.data);
  return wanted.includes('string') && scalar && spelling !== undefined
    ? `must be ${names}: write \`"${spelling}"\`, with the quotes`
    : `must be ${names}`;
}

function quoted(words: readonly unknown[]): string {
  return words.map((word) => `\`${String(word)}\``).join(', ');
}

/** A JSON pointer as a path; digits are an index only where there is a list. */
function toPath(pointer: string, root: JsonValue): Path {
  let value: unknown = root;
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((part) => {
      const step = Array.isArray(value) ? Number(part) : part;
      value = (value as Record<string | number, unknown>)[step];
      return step;
    });
}
