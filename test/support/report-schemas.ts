import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import draft4 from 'ajv-draft-04';
import { Ajv2020, type AnySchemaObject } from 'ajv/dist/2020.js';

const require = createRequire(import.meta.url);

/** The schema of SARIF 2.1.0 (OASIS, revision rtm.5) from Microsoft's tools. */
const SARIF_SCHEMA = JSON.parse(
  readFileSync(require.resolve('@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json'), 'utf8'),
) as AnySchemaObject;

/** The rules for Code Quality reports in GitLab's documentation; GitLab publishes no schema. */
const CODE_QUALITY_SCHEMA: AnySchemaObject = {
  type: 'array',
  items: {
    type: 'object',
    required: ['description', 'check_name', 'fingerprint', 'severity', 'location'],
    properties: {
      description: { type: 'string', minLength: 1 },
      check_name: { type: 'string', minLength: 1 },
      fingerprint: { type: 'string', minLength: 1 },
      severity: { enum: ['info', 'minor', 'major', 'critical', 'blocker'] },
      location: {
        type: 'object',
        required: ['path', 'lines'],
        properties: {
          // Relative to the repository, without `./`.
          path: { type: 'string', pattern: '^(?!\\.{0,2}/)[^\\\\]+$' },
          lines: {
            type: 'object',
            required: ['begin'],
            properties: { begin: { type: 'integer', minimum: 1 } },
            additionalProperties: false,
          },
        },
        additionalProperties: false,
      },
    },
    additionalProperties: false,
  },
};

const Ajv4 = draft4.default;
// One of its patterns is invalid with the Unicode flag.
const isSarif = new Ajv4({ strict: false, validateFormats: false, unicodeRegExp: false }).compile(
  SARIF_SCHEMA,
);
const isCodeQuality = new Ajv2020().compile(CODE_QUALITY_SCHEMA);

/** Returns the deviations of a text from the SARIF schema. */
export function sarifProblems(text: string): unknown {
  return isSarif(JSON.parse(text)) ? [] : isSarif.errors;
}

export function codeQualityProblems(text: string): unknown {
  const issues = JSON.parse(text) as { fingerprint: string }[];
  if (!isCodeQuality(issues)) return isCodeQuality.errors;
  const known = issues.map(({ fingerprint }) => fingerprint);
  return new Set(known).size === known.length ? [] : 'fingerprints are not unique';
}
