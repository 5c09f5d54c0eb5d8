import { type Hint, hintsOf } from './refusal-output.js';
import { mismatchesJson } from '../../cli/files/mismatches.js';
import { EXIT } from '../../cli/kit/command.js';
import * as json from '../../cli/kit/json-schema.js';
import type { GivenInputs } from '../../project/edit/input-edit.js';
import type { Mismatch } from '../../project/lockfile/mismatch.js';
import type { CoreEntry, CoreKind } from '../../resolver/explain/refusal.js';
import type { Answer, Stats } from '../../resolver/resolve/answer.js';
import type { Movement } from '../../resolver/resolve/movements.js';
import { PACKAGE_KINDS } from '../../crossplane/packages/package.js';
import type { HeldBy } from '../../resolver/resolve/blocked-by.js';

const locked = json.record({
  source: json.text('OCI repository.'),
  version: json.text('Tag, or the digest where the package is demanded by digest.'),
  'digest?': json.text('What the tag points at; absent with `--allow-undigested` alone.'),
  kind: json.oneOf(PACKAGE_KINDS, 'Kind of the package.'),
  name: json.text('Name of the object in the bundle.'),
  direct: json.flag('Whether it was asked for by name.'),
});

const operation = json.record({
  op: json.oneOf(['add', 'remove', 'replace', 'move'], 'What is done.'),
  path: json.text('Where: a JSON pointer.'),
  'from?': json.text('Where from, of what is moved.'),
  'value?': json.anything('What is put there.'),
});

const editFields = {
  file: json.text('The file to change; `-` for standard input.'),
  document: json.count('The document of that file, from 0; empty ones count.'),
  patch: json.list(
    json.ref<json.Static<typeof operation>>('operation'),
    'The change, as a JSON Patch (RFC 6902); of the path `` alone: a new file.',
  ),
};

const edit = json.record(editFields);

/** Effect of a suggestion. The advice of `outdated` has the same fields. */
export const EFFECT_SCHEMA = json.record(
  {
    up: json.count('Packages that are upgraded.'),
    down: json.count('Packages that are downgraded.'),
    added: json.count('Packages that are added.'),
    removed: json.count('Packages that are removed.'),
    notes: json.list(json.text('A further effect.'), 'Effects on roots and on the cluster.'),
  },
  'What it does to the packages of the lockfile before.',
);

const suggestion = json.record({
  text: json.text('What to change.'),
  'effect?': EFFECT_SCHEMA,
  'file?': editFields.file,
  'document?': editFields.document,
  'patch?': editFields.patch,
  'also?': json.list(
    json.ref<json.Static<typeof edit>>('edit'),
    'Changes to other documents that belong to it.',
  ),
  'refs?': json.list(
    json.text('A reference.'),
    'All references of the command line, as they become.',
  ),
  'args?': json.list(json.text('A word of the command line.'), 'Flags to add or change.'),
});

/** Every kind; the compiler reports a missing one. */
const CORE_KINDS: Readonly<Record<CoreKind, true>> = {
  content: true,
  requirement: true,
  crossplane: true,
  ownership: true,
  missing: true,
  cycle: true,
  kind: true,
  digest: true,
  source: true,
  policy: true,
};

const change = json.record({
  source: json.text('OCI repository.'),
  'from?': json.text('Version in the lockfile before; absent: it is new.'),
  'to?': json.text('Version now; absent: it is gone.'),
  'reason?': json.text('What brought the change about, where that can be told.'),
});

const core = json.record({
  kind: json.oneOf(Object.keys(CORE_KINDS) as CoreKind[], 'What sort of fact it is.'),
  text: json.text('The fact.'),
  'path?': json.texts('Where it comes from: a place in an input, then package by package.'),
  'demand?': json.record(
    {
      by: json.text('Who asks: a place in an input, or a repository.'),
      on: json.text('Repository that is asked for.'),
      constraint: json.text('Which versions of it.'),
    },
    'Of a requirement: who asks for which versions of which package.',
  ),
});

const finding = json.record({
  rule: json.text('Name of the rule.'),
  severity: json.oneOf(['error'], 'No set can do without it mended.'),
  file: json.text('File it is about.'),
  'line?': json.count('Line in it.'),
  text: json.text('What is wrong, and why it hurts.'),
  'fix?': json.text('What to write instead.'),
});

const stats: json.TypedSchema<Partial<Stats & Pick<PrintedAnswer, 'bytes'>>> = {
  type: 'object',
  properties: {
    listed: json.count('Tag lists asked for.'),
    fetched: json.count('Package versions whose metadata was read.'),
    bytes: json.count('Bytes read from the network.'),
    decisions: json.count('Versions tried.'),
    conflicts: json.count('Dead ends met.'),
  },
  description: 'What it took.',
};

/** Fields of an answer that other commands print, too. */
export const answerFields = {
  status: json.oneOf(
    ['solved', 'unsolvable', 'gave-up', 'mismatch'],
    'How it went; `mismatch`: what is locked is stale or not true.',
  ),
  crossplane: json.text('Crossplane release that the answer is for.'),
  releaseFacts: json.releaseFactsField,
  packages: json.list(
    json.ref<json.Static<typeof locked>>('package'),
    'The closure, by source in code-point order.',
  ),
  changes: json.list(change, 'What differs from the lockfile that was there.'),
  notes: json.list(json.text('A note.'), 'What is worth knowing.'),
  stats,
  exitCode: json.count('Exit code of the process, where it is 4.'),
  mismatches: json.mismatches,
  reason: json.text('What it was waiting for when its time was up; absent: it was searching.'),
  summary: json.record(
    {
      headline: json.text('What is wrong, in one sentence.'),
      lines: json.list(
        json.text('A sentence.'),
        'Who wants what, and where that cannot meet; empty: the headline says it all.',
      ),
    },
    'Why there is no answer, in short.',
  ),
  explanation: json.text('Why there is no answer, step by step.'),
  core: json.list(core, 'The facts that rule every answer out.'),
  findings: json.list(finding, 'Of `lint`: what in the set keeps it from having an answer.'),
  suggestions: json.list(
    json.ref<json.Static<typeof suggestion>>('suggestion'),
    'Changes that would help, fewer downgrades and removals first; `--apply-hint N` applies one.',
  ),
};

/** `$defs` that these fields refer to. */
export const answerParts = { $defs: { package: locked, suggestion, edit, operation } };

type AllFields = json.RecordOf<typeof answerFields>;

/** An answer without `schemaVersion`. Its fields depend on its status. */
export type AnswerDocument = Pick<AllFields, 'status'> & {
  readonly [Name in keyof AllFields]?: AllFields[Name] | undefined;
};

function requiredIf(status: AnswerDocument['status'], fields: readonly (keyof AnswerDocument)[]) {
  // eslint-disable-next-line unicorn/no-thenable -- `then` is a keyword of JSON Schema
  return { if: { properties: { status: { const: status } } }, then: { required: fields } };
}

/** JSON Schema of the output of `resolve -o json`. Fields may be added; none is removed. */
export const RESOLVE_OUTPUT_SCHEMA: json.TypedSchema<AnswerDocument> = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'xpkg-resolve resolve -o json',
  description: 'The answer of a resolution.',
  type: 'object',
  required: ['schemaVersion', 'status'],
  properties: { schemaVersion: json.constant(1, 'Version of this format.'), ...answerFields },
  allOf: [
    requiredIf('solved', ['crossplane', 'packages', 'stats']),
    requiredIf('unsolvable', ['explanation', 'core', 'suggestions']),
    requiredIf('mismatch', ['exitCode', 'mismatches']),
  ],
  ...answerParts,
};

const heldByConstraint = json.record(
  {
    'source?': json.text('Package that states the constraint, or file and line of your own.'),
    'version?': json.text('Version of that package.'),
    'versions?': json.texts('All versions that state it, where several do.'),
    'requires?': json.text('Package that it constrains, or `crossplane`.'),
    'constraint?': json.text('Versions that it admits.'),
    text: json.text('The constraint in words.'),
  },
  'A constraint.',
);

/** Why a package is not at a newer version, for `outdated` and `why --not`. */
export const HELD_BY_SCHEMA: json.TypedSchema<HeldBy | HeldBy[number]> = {
  description:
    'What keeps the package from the version: one constraint without which it could move, or a list of constraints that are a minimal conflict.',
  oneOf: [
    heldByConstraint,
    json.list(heldByConstraint, 'Constraints that are a minimal conflict.'),
  ],
};

/** One constraint as an object, several as a list. */
export function heldByJson(by: HeldBy | undefined): HeldBy | HeldBy[number] | undefined {
  return by?.length === 1 ? by[0] : by;
}

/** An answer, or what keeps it from being written. */
export interface PrintedAnswer {
  readonly answer: Answer;
  /** Bytes read from the network. */
  readonly bytes: number;
  /** Inputs that suggestions can change; undefined if suggestions are only printed. */
  readonly inputs?: GivenInputs | undefined;
  /** Locked packages or rendered manifests that do not match; undefined: none. */
  readonly mismatches?: readonly Mismatch[] | undefined;
}

/** Returns the document of an answer, or of the mismatches because of which it was not written. */
export function answerDocument(printed: PrintedAnswer): AnswerDocument {
  const { answer, bytes, inputs, mismatches: found } = printed;
  if (found !== undefined) {
    return { status: 'mismatch', exitCode: EXIT.lockMismatch, mismatches: mismatchesJson(found) };
  }
  return { ...answerBody(answer, inputs), stats: { ...answer.stats, bytes } };
}

export const answerOutput = json.jsonOutput(RESOLVE_OUTPUT_SCHEMA, answerDocument);

/** All fields except the statistics. */
export function answerBody(answer: Answer, inputs?: GivenInputs): AnswerDocument {
  const notes = [...answer.warnings, ...answer.notes];
  switch (answer.status) {
    case 'solved':
      return {
        status: answer.status,
        crossplane: answer.target.version,
        packages: answer.lockfile.packages.map(
          ({ repository: source, version, digest, kind, name, direct }) => {
            return { source, version, digest, kind, name, direct };
          },
        ),
        changes: changesJson(answer.changes),
        notes,
      };
    case 'unsolvable':
      return {
        status: answer.status,
        crossplane: answer.target.version,
        summary: { headline: answer.summary.headline, lines: answer.summary.fullLines },
        explanation: answer.explanation,
        core: coreJson(answer.core),
        suggestions: hintsOf(answer.suggestions, inputs).map(hintJson),
        notes,
      };
    case 'gave-up':
      return { status: answer.status, reason: answer.reason, notes };
  }
}

/** Changed packages and the reasons. */
export function changesJson(changes: readonly Movement[]): json.Static<typeof change>[] {
  return changes.map(({ repository: source, from, to, reason }) => ({ source, from, to, reason }));
}

/** The core of an explanation. The contract's name for what an entry requires is `demand`. */
export function coreJson(entries: readonly CoreEntry[]): json.Static<typeof core>[] {
  return entries.map(({ requirement: demand, ...entry }) => ({ ...entry, demand }));
}

/** A hint for programs. `also` has the changes of further documents. */
function hintJson({ edit, ...stated }: Hint): json.Static<typeof suggestion> {
  if (edit === undefined) return stated;
  const { files, refs, args } = edit;
  const [first, ...also] = files;
  return { ...stated, ...first, also: also.length > 0 ? also : undefined, refs, args };
}
