import type { LockfilePlan } from '../../../usecases/plan/plan.js';
import { codeSpan } from '../../../text/markup/code-span.js';
import { counted } from '../counted.js';
import { moveRows } from './move-text.js';
import { becauseOf } from './plan-text.js';
import { byHand, type StepCommand } from './step-commands.js';

/** A plan for a pull request, or as the page that goes with its folders. */
export function planMarkdown(
  { steps }: LockfilePlan,
  commands: readonly (readonly StepCommand[])[],
): string {
  const lines = steps.flatMap((step, n) => [
    `## Step ${n + 1} of ${steps.length}`,
    '',
    ...moveRows(step).map(([verb, name, versions]) => `- ${verb} ${spans(name!, versions!)}`),
    '',
    ...becauseOf(step).flatMap((text) => [`Because ${plain(text)}.`, '']),
    ...step.warnings.flatMap((text) => [`> **Warning:** ${plain(text)}`, '']),
    '```sh',
    ...byHand(commands[n]!),
    '```',
    '',
  ]);
  const head = steps.length === 0 ? 'Nothing is to be done.' : `${counted(steps.length, 'step')}.`;
  return [head, '', ...lines].join('\n');
}

function spans(name: string, versions: string): string {
  return `${codeSpan(name)} ${codeSpan(versions)}`;
}

/** Sentences name packages and objects, which others wrote: nothing in them is markup. */
function plain(text: string): string {
  return text.replaceAll(/[\\`*_{}[\]<>|#!@]/g, (mark) => `\\${mark}`);
}
