import type { Between, Cause } from './journey.js';
import type { LockfilePlan, NoPlan, PlannedStep } from './plan.js';
import { manualCommands, scriptCommands, type StepCommand } from './render-plan.js';
import { causeText, type PackageMove, stepObjects } from './steps.js';
import { codeSpan } from '../../base/escape.js';
import { wrap } from '../../base/messages.js';
import * as json from '../../cli/kit/json-schema.js';
import { columns, amount, shortVersion } from '../../cli/terminal/package-text.js';
import { isNewer } from '../../crossplane/releases/target.js';
import type { CoreKind } from '../../resolver/explain/refusal.js';
import { answerFields, answerParts } from '../resolve/answer-output.js';

/** Maximum number of reasons listed for a step; further ones are counted. */
const MAX_REASONS = 3;

export interface PlanValue {
  readonly answer: LockfilePlan | NoPlan;
  /** Commands of each step; without a plan, of the plan with intermediate versions. */
  readonly commands: readonly (readonly StepCommand[])[];
}

/** Returns a plan as text: the steps, with the commands to run. */
export function planLines({ steps }: LockfilePlan, commands: PlanValue['commands']): string[] {
  return steps.flatMap((step, n) => [
    ...(n === 0 ? [] : ['']),
    `step ${n + 1} of ${steps.length}`,
    ...columns(moveRows(step)),
    ...becauseOf(step).flatMap((text) => wrap(`because ${text}`, '  ', '    ')),
    ...step.warnings.flatMap((text) => wrap(`warning: ${text}`, '  ', '    ')),
    ...manualCommands(commands[n]!).map((line) => `    ${line}`),
  ]);
}

/** Returns why a step is separate from the previous one. */
function becauseOf({ applied, removed, releaseBecause }: PlannedStep): string[] {
  const moves = [...applied, ...removed].flatMap(({ because }) => because ?? []);
  const causes = [...(releaseBecause ?? []), ...moves];
  const texts = [...new Set(causes.map(causeText))];
  const more = texts.length - MAX_REASONS;
  return more > 0 ? [...texts.slice(0, MAX_REASONS), `of ${amount(more, 'more reason')}`] : texts;
}

/** Returns why there is no plan, in a few lines. */
export function noPlanLines(answer: NoPlan): string[] {
  const lines = wrap(`error: ${headline(answer)}`, '', '  ');
  const causes = answer.impasse.causes.map(causeText);
  if (causes.length > 0) lines.push('');
  for (const cause of causes) lines.push(...wrap(`${cause}.`, '  ', '    '));
  const hint = hintOf(answer);
  return hint === undefined ? lines : [...lines, '', ...wrap(`hint: ${hint}`, '', '  ')];
}

function headline({ status, impasse }: NoPlan): string {
  if (status === 'gave-up') return 'no order was found in time';
  if (impasse.atEnd) return 'the end of it is a set that the cluster does not take';
  return 'no order leads there: these wait for each other';
}

/** Returns the suggested fix; undefined: none is known. */
function hintOf({ between }: NoPlan): string | undefined {
  if (between === undefined) return undefined;
  const steps = amount(between.plan.steps.length, 'step');
  const via = viaWords(between).map((word) => `--via ${word}`);
  return `there is a plan of ${steps} with ${betweenText(between)} in between: add \`${via.join(' ')}\``;
}

function betweenText({ releases = [], packages = [] }: Between): string {
  const names = packages.map(({ repository, version }) => `${repository} ${version}`);
  return [...releases.map(({ version }) => `Crossplane ${version}`), ...names].join(' and ');
}

function viaWords({ releases = [], packages = [] }: Between): string[] {
  return [
    ...releases.map(({ version }) => `crossplane@${version}`),
    ...packages.map(({ repository, version }) => `${repository}@${version}`),
  ];
}

/** Returns a row for each action of a step: verb, package, versions. */
function moveRows(step: PlannedStep): string[][] {
  const { release, releaseBefore, applied, removed } = step;
  const rows = [...applied, ...removed].map(rowOf);
  if (releaseBefore === undefined) return rows;
  const verb = isNewer(releaseBefore, release) ? 'downgrade' : 'upgrade';
  return [[verb, 'Crossplane', `${releaseBefore.version} → ${release.version}`], ...rows];
}

function rowOf({ repository, from, to }: PackageMove): string[] {
  const [before, after] = [from?.locked.version, to?.locked.version].map(
    (version) => version && shortVersion(version),
  );
  if (before === undefined) return ['add', repository, after!];
  if (after === undefined) return ['remove', repository, before];
  if (before === after) return ['apply', repository, after];
  return ['move', repository, `${before} → ${after}`];
}

/** Returns a plan as Markdown, for a pull request or the page in its folder. */
export function planMarkdown({ steps }: LockfilePlan, commands: PlanValue['commands']): string {
  const lines = steps.flatMap((step, n) => [
    `## Step ${n + 1} of ${steps.length}`,
    '',
    ...moveRows(step).map(([verb, ...cells]) =>
      [`- ${verb}`, ...cells.map((cell) => codeSpan(cell))].join(' '),
    ),
    '',
    ...becauseOf(step).flatMap((text) => [`Because ${escapeMarkdown(text)}.`, '']),
    ...step.warnings.flatMap((text) => [`> **Warning:** ${escapeMarkdown(text)}`, '']),
    '```sh',
    ...manualCommands(commands[n]!),
    '```',
    '',
  ]);
  const countText =
    steps.length === 0 ? 'Nothing is to be done.' : `${amount(steps.length, 'step')}.`;
  return [countText, '', ...lines].join('\n');
}

/** Escapes markup: sentences contain names from packages. */
function escapeMarkdown(text: string): string {
  return text.replaceAll(/[\\`*_{}[\]<>|#!@]/g, (mark) => `\\${mark}`);
}

const planStep = json.record(
  {
    apply: json.texts('What is applied, `SOURCE@VERSION`, dependencies first.'),
    remove: json.texts('What is removed, `SOURCE@VERSION`, dependents first.'),
    'crossplane?': json.text('Crossplane release that is upgraded to; absent: it stays.'),
    'handOvers?': json.list(
      json.record({ ...json.ownedFields, from: json.source, to: json.source }),
      'Objects that pass from one package to another.',
    ),
    commands: json.texts('What to run, in this order.'),
    warnings: json.texts('What would be deleted, or may go wrong.'),
    because: json.texts('Why it is not part of the step before.'),
  },
  'What goes together; everything is healthy again before the next step.',
);

const schema = {
  ...json.outputSchema('plan -o json', {
    status: json.oneOf(['planned', 'unsolvable', 'gave-up'], 'Whether there is an order.'),
    'steps?': json.list(planStep, 'What to do, in this order; absent: there is no order.'),
    'notes?': json.notes,
    'explanation?': answerFields.explanation,
    'core?': answerFields.core,
    'suggestions?': json.list(
      json.record({
        text: json.text('What would help.'),
        args: json.texts('Flags to add.'),
        steps: json.list(planStep, 'The plan with them.'),
      }),
      'Versions in between with which there is an order.',
    ),
  }),
  $defs: answerParts.$defs,
};

export const planOutput = json.jsonOutput(schema, planDocument);

export function planDocument({ answer, commands }: PlanValue): json.Static<typeof schema> {
  if (answer.status !== 'planned') return noPlanDocument(answer, commands);
  return { status: answer.status, steps: stepsJson(answer, commands), notes: answer.notes };
}

function stepsJson(
  { steps }: LockfilePlan,
  commands: PlanValue['commands'],
): json.Static<typeof planStep>[] {
  return steps.map((step, n) => {
    const handOvers = stepObjects(step).handOvers.flatMap(({ from, to, objects }) =>
      objects.map(({ kind, name }) => ({ kind, name, from: from.repository, to: to.repository })),
    );
    return {
      apply: step.applied.map(({ repository, to }) => `${repository}@${to!.locked.version}`),
      remove: step.removed.map(({ repository, from }) => `${repository}@${from!.locked.version}`),
      crossplane: step.releaseBefore && step.release.version,
      handOvers: handOvers.length === 0 ? undefined : handOvers,
      commands: scriptCommands(commands[n]!),
      warnings: step.warnings,
      because: becauseOf(step),
    };
  });
}

function noPlanDocument(
  answer: NoPlan,
  commands: PlanValue['commands'],
): json.Static<typeof schema> {
  const { status, impasse, between } = answer;
  const causes = impasse.causes.map((cause) => ({
    kind: CORE_KIND[cause.rule],
    text: causeText(cause),
  }));
  const suggestion = between && {
    text: hintOf(answer)!,
    args: viaWords(between).flatMap((word) => ['--via', word]),
    steps: stepsJson(between.plan, commands),
  };
  return {
    status,
    explanation: [headline(answer), ...causes.map(({ text }) => text)].join('\n'),
    core: causes,
    suggestions: suggestion ? [suggestion] : [],
  };
}

const CORE_KIND: Readonly<Record<Cause['rule'], CoreKind>> = {
  version: 'requirement',
  kind: 'kind',
  missing: 'requirement',
  owner: 'ownership',
  kept: 'ownership',
  crossplane: 'crossplane',
  reference: 'source',
  content: 'content',
  'controller-config': 'crossplane',
  cycle: 'cycle',
};
