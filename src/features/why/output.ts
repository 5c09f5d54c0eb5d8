import type { Why } from './why.js';
import { shellCommand } from '../../base/escape.js';
import { wrap } from '../../base/messages.js';
import * as json from '../../cli/kit/json-schema.js';
import { changeLines, amount, shortVersion } from '../../cli/terminal/package-text.js';
import type { OwnedObject } from '../../crossplane/packages/owned-objects.js';
import type { Candidate } from '../../crossplane/packages/package.js';
import type { GivenInputs } from '../../project/edit/input-edit.js';
import type { LockEdge, TreeNode } from '../../project/lockfile/lock-graph.js';
import type { LockedPackage } from '../../project/lockfile/lockfile.js';
import { type HeldBy, heldByText } from '../../resolver/resolve/blocked-by.js';
import type { WhyNot } from '../../resolver/resolve/why-not.js';
import {
  answerBody,
  changesJson,
  type AnswerDocument,
  answerFields,
  answerParts,
  HELD_BY_SCHEMA,
  heldByJson,
} from '../resolve/answer-output.js';
import { explainedRefusalText, refusalText } from '../resolve/refusal-output.js';

/** Why a package is locked. `owned` is the requested object; undefined: a package was requested. */
export type WhyAnswer = Why & { readonly owned: OwnedObject | undefined };

/** The result of `why NAME`: the package, or each owner of the object. */
export interface WhyValue {
  readonly answers: readonly WhyAnswer[];
}

export interface WhyNotValue {
  readonly result: WhyNot;
  readonly wanted: Candidate;
  /** The inputs that suggestions change. */
  readonly inputs: GivenInputs;
  readonly isLocked: boolean;
  /** The flags with which a printed command works on the same project. */
  readonly flags: readonly string[];
}

/** Returns the package, then every path to it with a line for each step. */
export function whyLines({ locked, owned, paths, more }: WhyAnswer): string[] {
  const title = owned === undefined ? '' : ` owns ${owned.kind} ${owned.name}`;
  const lines = [`${nameOf(locked)}${title}`, ...paths.flatMap((path) => pathLines(locked, path))];
  return more ? [...lines, '  and by more paths than are listed'] : lines;
}

/** Number of steps shown at the beginning and at the end of a long path. */
const STEPS_AT_AN_END = 20;

function pathLines(locked: LockedPackage, path: readonly LockEdge[]): string[] {
  const start = path[0]?.from ?? locked;
  const steps = path.map(({ to, constraint }) => `requires ${nameOf(to)} \`${constraint}\``);
  const omitted = steps.length - 2 * STEPS_AT_AN_END;
  if (omitted > 1) {
    steps.splice(STEPS_AT_AN_END, omitted, `… ${amount(omitted, 'more step')}`);
  }
  const reason = start.direct
    ? 'is asked for directly'
    : 'is asked for by no locked package: by a local one, for an API, or in place of another';
  return [
    `  ${nameOf(start)} ${reason}`,
    ...steps.map((step, i) => `${' '.repeat(4 + 2 * i)}${step}`),
  ];
}

function nameOf({ repository, version }: LockedPackage): string {
  return `${repository} ${shortVersion(version)}`;
}

/** Returns why the answer does not have a version, as `resolve` would. */
export function whyNotLines(
  { result, wanted: { repository, version }, inputs, isLocked, flags }: WhyNotValue,
  explain: boolean,
): string[] {
  const words = shellCommand([`${repository}@${version}`, ...flags]);
  switch (result.status) {
    case 'refused': {
      const textOf = explain ? explainedRefusalText : refusalText;
      // Without inputs, no `--apply-hint` command is printed: `add` numbers its hints differently.
      const command = `xpkg-resolve update ${words}`;
      const refusalLines = textOf(result.refusal, isLocked ? inputs : undefined, { command });
      const by = heldByLines(result.heldBy);
      return [...by, ...refusalLines.map((line) => line.replace(/^error: /, ''))];
    }
    case 'overridden':
      return [result.text];
    case 'gave-up':
      return ['it could not be found out in time: raise --timeout'];
    case 'possible': {
      const { changes, unrequired } = result.answer;
      const verb = unrequired.includes(repository) ? 'add' : 'update';
      return [
        `possible: there is a set with ${repository} ${version}`,
        ...heldByLines(result.heldBy),
        ...(changes.length === 0 ? ['  it is the one that is locked'] : []),
        ...changeLines(changes, false).map((line) => `  ${line}`),
        ...(changes.length === 0 ? [] : [`hint: \`xpkg-resolve ${verb} ${words}\``]),
      ];
    }
  }
}

function heldByLines(by: HeldBy | undefined): string[] {
  return by === undefined ? [] : wrap(`held by ${heldByText(by)}`, '', '  ');
}

const { changes, summary, explanation, core, suggestions } = answerFields;

/** The fields of a refusal that `resolve` prints, too. */
const refusal = json.record(
  {
    status: json.constant('unsolvable', 'There is no set with the version.'),
    'crossplane?': json.crossplane,
    summary,
    explanation,
    core,
    suggestions,
    'notes?': json.notes,
  },
  'Why the set does not have the version, as `resolve` refuses the set with it.',
) as json.TypedSchema<AnswerDocument>;

const whySchema = {
  ...json.outputSchema('why -o json', {
    'source?': json.text('Repository asked about with `--not`.'),
    'version?': json.text('Version asked about with `--not`.'),
    'heldBy?': HELD_BY_SCHEMA,
    'why?': refusal,
    'status?': json.oneOf(
      ['possible', 'gave-up'],
      'There is a set with the version; or: not known.',
    ),
    'crossplane?': json.crossplane,
    'changes?': changes,
    'notes?': json.notes,
    'answers?': json.list(
      json.record({
        ...json.locked,
        'owns?': json.owned,
        paths: json.list(
          json.list(
            json.record({
              ...json.locked,
              'constraint?': json.text('What the package before it asks for.'),
            }),
            'A path, from a package at the top.',
          ),
          'How it came to be locked, shortest first.',
        ),
        more: json.flag('There are more paths than are listed.'),
      }),
      'The package, or each owner of the object asked about.',
    ),
  }),
  $defs: answerParts.$defs,
};

type WhyDocument = json.Static<typeof whySchema>;

export const whyOutput = json.jsonOutput(whySchema, (value: WhyValue | WhyNotValue): WhyDocument =>
  'answers' in value ? { answers: value.answers.map(answeredDocument) } : whyNotDocument(value),
);

type AnsweredDocument = NonNullable<WhyDocument['answers']>[number];

function answeredDocument({ locked: of, owned: object, paths, more }: WhyAnswer): AnsweredDocument {
  return {
    ...packageDocument(of),
    owns: object && { kind: object.kind, name: object.name },
    paths: paths.map((path) => [
      packageDocument(path[0]?.from ?? of),
      ...path.map(({ to, constraint }) => ({ ...packageDocument(to), constraint })),
    ]),
    more,
  };
}

function packageDocument({ repository, version, direct }: LockedPackage) {
  return { source: repository, version, direct };
}

function whyNotDocument({ result, wanted, inputs }: WhyNotValue): WhyDocument {
  const about = { source: wanted.repository, version: wanted.version };
  switch (result.status) {
    case 'refused':
      return {
        ...about,
        heldBy: heldByJson(result.heldBy),
        why: answerBody(result.refusal, inputs),
      };
    case 'overridden':
      return {
        ...about,
        why: {
          status: 'unsolvable',
          summary: { headline: result.text, lines: [] },
          explanation: result.text,
          core: [{ kind: 'requirement', text: result.text, path: [result.place] }],
          suggestions: [],
        },
      };
    case 'gave-up':
      return { ...about, status: 'gave-up' };
    case 'possible': {
      const { answer } = result;
      return {
        ...about,
        status: 'possible',
        heldBy: heldByJson(result.heldBy),
        crossplane: answer.target.version,
        changes: changesJson(answer.changes),
        notes: answer.notes,
      };
    }
  }
}

export interface TreeValue {
  readonly trees: readonly TreeNode[];
  readonly crossplane: string;
}

const nodeFields = {
  ...json.locked,
  kind: json.kind,
  'constraint?': json.text('What the package above asks for.'),
  'repeated?': json.flag('What it requires is shown further up.'),
  'omitted?': json.count('Packages below that are left out because the tree is too deep.'),
} satisfies json.Fields;

type NodeDocument = json.RecordOf<typeof nodeFields> & {
  readonly requires?: readonly NodeDocument[];
};

const node = json.record(
  {
    ...nodeFields,
    'requires?': json.list(json.ref<NodeDocument>('node'), 'What it requires, in dependsOn order.'),
  },
  'A locked package.',
);

const treeSchema = {
  ...json.outputSchema('tree -o json', {
    crossplane: json.crossplane,
    packages: json.list(json.ref<NodeDocument>('node'), 'Packages at the top.'),
  }),
  $defs: { node },
};

export const treeOutput = json.jsonOutput(
  treeSchema,
  ({ trees, crossplane: target }: TreeValue): json.Static<typeof treeSchema> => ({
    crossplane: target,
    packages: trees.map(nodeDocument),
  }),
);

function nodeDocument(tree: TreeNode): NodeDocument {
  const { constraint, repeated, requires, omitted } = tree;
  const { repository: source, version, kind: ofKind, direct } = tree.locked;
  const below = repeated ? { repeated } : { requires: requires.map(nodeDocument) };
  return { source, version, kind: ofKind, direct, constraint, omitted, ...below };
}
