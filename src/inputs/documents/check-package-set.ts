import { formatOrigin, InputError } from '../../model/input-error.js';
import { didYouMean } from '../../text/did-you-mean.js';
import { schemaCheck, type SchemaError } from '../../text/json-schema.js';
import { formatPath } from '../../text/yaml/path.js';
import type { InputDocument } from '../document.js';
import { PACKAGE_SET_SCHEMA } from './package-set-schema.js';

const MAX_PROBLEMS_SHOWN = 10;

const departures = schemaCheck(PACKAGE_SET_SCHEMA, { all: true });

/** Throws an `InputError` that names every place where a document departs from the schema. */
export function checkPackageSet(document: InputDocument): void {
  const errors = departures(document.value);
  if (errors.length === 0) return;
  const problems = errors
    // How each alternative failed would only repeat what "exactly one of" says.
    .filter((error) => !error.schemaPath.includes('/oneOf/'))
    .map((error) => describe(error, document))
    .sort((a, b) => (a.origin.line ?? 0) - (b.origin.line ?? 0));
  const [first, ...rest] = problems.slice(0, MAX_PROBLEMS_SHOWN);
  const lines = rest.map(({ origin, message }) => `${formatOrigin(origin)}: ${message}`);
  const left = problems.length - MAX_PROBLEMS_SHOWN;
  if (left > 0) lines.push(`and ${left} more`);
  throw new InputError([first!.message, ...lines].join('\n'), { origin: first!.origin });
}

function describe(error: SchemaError, document: InputDocument) {
  const { path } = error;
  const at = error.keyword === 'additionalProperties' ? [...path, unknownField(error)] : path;
  const where = at.length === 0 ? 'the document' : `\`${formatPath(at)}\``;
  return { origin: document.originOf(at), message: `${where} ${what(error, document)}` };
}

function what(error: SchemaError, document: InputDocument): string {
  switch (error.keyword) {
    case 'additionalProperties':
      return unknown(error);
    case 'required':
      return `lacks \`${String(error.params['missingProperty'])}\``;
    case 'type':
      return wrongType(error, document.spellingOf(error.path));
    case 'oneOf':
      return 'must name exactly one of `provider`, `configuration`, `function`, `package` and `crd`';
    case 'false schema':
      return 'does not go with `crd`';
    case 'enum':
      return `must be one of ${quoted([error.params['allowedValues']].flat().filter((value) => value !== null))}`;
    case 'const':
      return `must be ${quoted([error.params['allowedValue']])}`;
    case 'dependentRequired':
      return `has \`${String(error.params['property'])}\`, which says nothing without \`${String(error.params['missingProperty'])}\``;
    case 'pattern':
      return 'must be a duration: a number and `m`, `h`, `d` or `w`, such as `7d`';
    case 'minItems':
      return 'must not be empty';
    case 'minLength':
      return 'must not be empty';
    default:
      return error.message ?? 'is not valid';
  }
}

function unknownField(error: SchemaError): string {
  return String(error.params['additionalProperty']);
}

function unknown(error: SchemaError): string {
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

function wrongType(error: SchemaError, spelling: string | undefined): string {
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
