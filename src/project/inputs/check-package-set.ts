import { DocumentNode, type InputDocument } from './document.js';
import { PACKAGE_SET_SCHEMA, PACKAGE_SPEC_SCHEMA } from './package-set-schema.js';
import { formatOrigin, InputError } from '../../base/errors.js';
import { schemaCheck, type SchemaError } from '../../base/json-schema.js';
import { formatPath, type JsonValue, type Path } from '../../base/json.js';
import { didYouMean, thousands } from '../../base/messages.js';

const MAX_PROBLEMS_SHOWN = 10;

const violations = schemaCheck(PACKAGE_SET_SCHEMA, { all: true });

const specViolations = schemaCheck(PACKAGE_SPEC_SCHEMA, { all: true });

/** Throws an `InputError` that lists every violation of the schema. */
export function checkPackageSet(document: InputDocument): void {
  checkListLengths(document, document.value, []);
  throwViolations(violations(document.value), document);
}

/** Checks the `spec` of a `pkg.crossplane.io` object in the same way. */
export function checkPackageSpec(document: InputDocument): void {
  const errors = specViolations(new DocumentNode(document, ['spec']).object());
  const located = errors.map((error) => ({ ...error, path: ['spec', ...error.path] }));
  throwViolations(located, document);
}

function throwViolations(errors: readonly SchemaError[], document: InputDocument): void {
  if (errors.length === 0) return;
  const problems = errors
    // The message of `oneOf` covers the errors of its alternatives.
    .filter((error) => !error.schemaPath.includes('/oneOf/'))
    .map((error) => describe(error, document))
    .sort((a, b) => (a.origin.line ?? 0) - (b.origin.line ?? 0));
  const [first, ...rest] = problems.slice(0, MAX_PROBLEMS_SHOWN);
  const lines = rest.map(({ origin, message }) => `${formatOrigin(origin)}: ${message}`);
  const hiddenCount = problems.length - MAX_PROBLEMS_SHOWN;
  if (hiddenCount > 0) lines.push(`and ${hiddenCount} more`);
  throw new InputError([first!.message, ...lines].join('\n'), { origin: first!.origin });
}

/** Maximum length of a list, checked before the schema, which reports every entry. */
const MAX_ENTRIES = 10_000;

function checkListLengths(document: InputDocument, value: JsonValue, path: Path): void {
  if (value === null || typeof value !== 'object') return;
  if (Array.isArray(value) && value.length > MAX_ENTRIES) {
    const most = thousands(MAX_ENTRIES);
    const node = new DocumentNode(document, path);
    throw node.inputError(`has more than ${most} entries, the most that is read`);
  }
  for (const [key, child] of Object.entries(value)) {
    checkListLengths(document, child, [...path, Array.isArray(value) ? Number(key) : key]);
  }
}

function describe(error: SchemaError, document: InputDocument) {
  const { path } = error;
  const at = error.keyword === 'additionalProperties' ? [...path, unknownField(error)] : path;
  const where = at.length === 0 ? 'the document' : `\`${formatPath(at)}\``;
  return { origin: document.originOf(at), message: `${where} ${problemOf(error, document)}` };
}

function problemOf(error: SchemaError, document: InputDocument): string {
  switch (error.keyword) {
    case 'additionalProperties':
      return unknownFieldText(error);
    case 'required':
      return `lacks \`${String(error.params['missingProperty'])}\``;
    case 'type':
      return wrongType(error, document.spellingOf(error.path));
    case 'oneOf':
      return 'must name exactly one of `provider`, `configuration`, `function`, `package` and `crd`';
    case 'false schema':
      return 'does not go with `crd`';
    case 'enum':
      return `must be one of ${quotedList([error.params['allowedValues']].flat().filter((value) => value !== null))}`;
    case 'const':
      return `must be ${quotedList([error.params['allowedValue']])}`;
    case 'dependentRequired':
      return `has \`${String(error.params['property'])}\`, which says nothing without \`${String(error.params['missingProperty'])}\``;
    case 'pattern':
      return 'must be a duration: a number and `m`, `h`, `d` or `w`, such as `7d`';
    case 'minimum':
      return `must be ${String(error.params['limit'])} or more`;
    case 'minItems':
    case 'minLength':
      return 'must not be empty';
    default:
      return error.message ?? 'is not valid';
  }
}

function unknownField(error: SchemaError): string {
  return String(error.params['additionalProperty']);
}

function unknownFieldText(error: SchemaError): string {
  const known = Object.keys(error.parentSchema?.['properties'] ?? {});
  const suggestion = didYouMean(unknownField(error), known);
  return suggestion === undefined
    ? `is not a field; there are ${quotedList(known)}`
    : `is not a field; did you mean \`${suggestion}\`?`;
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: 'text',
  object: 'a mapping',
  array: 'a list',
  integer: 'a whole number',
  boolean: '`true` or `false`',
};

function wrongType(error: SchemaError, spelling: string | undefined): string {
  const types = [error.params['type'] as string | readonly string[]].flat();
  const names = types.flatMap((type) => TYPE_NAMES[type] ?? []).join(' or ');
  const scalar = ['number', 'boolean'].includes(typeof error.data);
  return types.includes('string') && scalar && spelling !== undefined
    ? `must be ${names}: write \`"${spelling}"\`, with the quotes`
    : `must be ${names}`;
}

function quotedList(words: readonly unknown[]): string {
  return words.map((word) => `\`${String(word)}\``).join(', ');
}
