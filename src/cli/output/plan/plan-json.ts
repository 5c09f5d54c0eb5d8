import type { CoreKind } from '../../../explain/core-entries.js';
import type { Cause } from '../../../plan/clash.js';
import { causeText } from '../../../plan/cause-text.js';
import type { PackageMove } from '../../../plan/plan-journey.js';
import { stepObjects } from '../../../plan/step-objects.js';
import type { LockfilePlan, NoPlan, PlannedStep } from '../../../usecases/plan/plan.js';
import { jsonDocument } from '../json-document.js';
import { becauseOf, headline, hintOf, viaWords } from './plan-text.js';
import { inScript, type StepCommand } from './step-commands.js';

export function planJson(
  plan: LockfilePlan,
  commands: readonly (readonly StepCommand[])[],
): string {
  const { status, notes } = plan;
  return jsonDocument({ status, steps: stepsJson(plan, commands), notes });
}

function stepsJson(
  { steps }: LockfilePlan,
  commands: readonly (readonly StepCommand[])[],
): readonly object[] {
  return steps.map((step, n) => stepJson(step, commands[n]!));
}

function stepJson(step: PlannedStep, commands: readonly StepCommand[]): object {
  const { applied, removed, release, releaseBefore, warnings } = step;
  const { handOvers } = stepObjects(step);
  return {
    apply: applied.map(({ repository, to }) => `${repository}@${to!.locked.version}`),
    remove: removed.map(({ repository, from }: PackageMove) => {
      return `${repository}@${from!.locked.version}`;
    }),
    ...(releaseBefore !== undefined && { crossplane: release.version }),
    ...(handOvers.length > 0 && {
      handOvers: handOvers.flatMap(({ from, to, objects }) =>
        objects.map(({ kind, name }) => ({ kind, name, from: from.repository, to: to.repository })),
      ),
    }),
    commands: inScript(commands),
    warnings,
    because: becauseOf(step),
  };
}

/** `commands`: those of the plan with something in between, if there is one. */
export function noPlanJson(answer: NoPlan, commands: readonly (readonly StepCommand[])[]): string {
  const { status, impasse, between } = answer;
  const causes = impasse.causes.map((cause) => ({
    kind: CORE_KIND[cause.rule],
    text: causeText(cause),
  }));
  return jsonDocument({
    status,
    explanation: [headline(answer), ...causes.map(({ text }) => text)].join('\n'),
    core: causes,
    suggestions:
      between === undefined
        ? []
        : [
            {
              text: hintOf(answer),
              args: viaWords(between).flatMap((word) => ['--via', word]),
              steps: stepsJson(between.plan, commands),
            },
          ],
  });
}

const CORE_KIND: Readonly<Record<Cause['rule'], CoreKind>> = {
  version: 'requirement',
  kind: 'kind',
  missing: 'requirement',
  owner: 'ownership',
  kept: 'ownership',
  crossplane: 'crossplane',
  reference: 'source',
  cycle: 'cycle',
};
