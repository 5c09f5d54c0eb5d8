import { causeText } from '../../../plan/cause-text.js';
import type { Between } from '../../../plan/journey.js';
import { wrap } from '../../../text/wrap.js';
import type { LockfilePlan, NoPlan, PlannedStep } from '../../../usecases/plan/plan.js';
import { counted } from '../counted.js';
import { columns } from '../packages.js';
import { moveRows } from './move-text.js';
import { byHand, type StepCommand } from './step-commands.js';

/** Reasons for the place of a step that are told; of more, only how many there are. */
const MAX_REASONS = 3;

/** A plan as text, step by step, with the commands that a person would run. */
export function planLines(
  { steps }: LockfilePlan,
  commands: readonly (readonly StepCommand[])[],
): string[] {
  return steps.flatMap((step, n) => [
    ...(n === 0 ? [] : ['']),
    `step ${n + 1} of ${steps.length}`,
    ...columns(moveRows(step)),
    ...becauseOf(step).flatMap((text) => wrap(`because ${text}`, '  ', '    ')),
    ...step.warnings.flatMap((text) => wrap(`warning: ${text}`, '  ', '    ')),
    ...byHand(commands[n]!).map((line) => `    ${line}`),
  ]);
}

/** Why a step is not part of the one before. */
export function becauseOf({ applied, removed }: PlannedStep): string[] {
  const causes = [...applied, ...removed].flatMap(({ because }) => because ?? []);
  const texts = [...new Set(causes.map(causeText))];
  const more = texts.length - MAX_REASONS;
  return more > 0 ? [...texts.slice(0, MAX_REASONS), `of ${counted(more, 'more reason')}`] : texts;
}

/** Why there is no plan, in a few lines. */
export function noPlanLines(answer: NoPlan): string[] {
  const lines = wrap(`error: ${headline(answer)}`, '', '  ');
  const causes = answer.impasse.causes.map(causeText);
  if (causes.length > 0) lines.push('');
  for (const cause of causes) lines.push(...wrap(`${cause}.`, '  ', '    '));
  const hint = hintOf(answer);
  return hint === undefined ? lines : [...lines, '', ...wrap(`hint: ${hint}`, '', '  ')];
}

export function headline({ status, impasse }: NoPlan): string {
  if (status === 'gave-up') return 'no order was found in time';
  if (impasse.atEnd) return 'the end of it is a set that the cluster does not take';
  return 'no order leads there: these wait for each other';
}

/** What would help; undefined: nothing that is known. */
export function hintOf({ between }: NoPlan): string | undefined {
  if (between === undefined) return undefined;
  const steps = counted(between.plan.steps.length, 'step');
  const via = viaWords(between).map((word) => `--via ${word}`);
  return `there is a plan of ${steps} with ${betweenText(between)} in between: add \`${via.join(' ')}\``;
}

function betweenText({ release, packages = [] }: Between): string {
  const names = packages.map(({ repository, version }) => `${repository} ${version}`);
  return [...(release === undefined ? [] : [`Crossplane ${release.version}`]), ...names].join(
    ' and ',
  );
}

/** As `--via` takes them. */
export function viaWords({ release, packages = [] }: Between): string[] {
  return [
    ...(release === undefined ? [] : [`crossplane@${release.version}`]),
    ...packages.map(({ repository, version }) => `${repository}@${version}`),
  ];
}
