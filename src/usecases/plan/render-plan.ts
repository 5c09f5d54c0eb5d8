import { kustomization } from '../../bundle/kustomization.js';
import type { Pin } from '../../bundle/package-object.js';
import { writeYaml, writeYamlStream } from '../../text/yaml/write-yaml.js';
import { PACKAGES_FILE } from '../layouts/object-files.js';
import { KUSTOMIZATION_FILE, RENDERED_MARK } from '../render.js';
import type { LockfilePlan } from './plan.js';
import { stepBundle } from './step-bundle.js';

const OBJECTS_FILE = 'objects.yaml';
const COMMANDS_FILE = 'commands.sh';
/** Every file that the folder of a step may have. */
export const STEP_FILES: readonly string[] = [
  OBJECTS_FILE,
  PACKAGES_FILE,
  KUSTOMIZATION_FILE,
  COMMANDS_FILE,
];
/** Beside the folders of steps: what they are, and in which order. */
export const PLAN_PAGE = 'README.md';

/** Name of the folder of a step, within that of the plan. */
export function stepFolder(step: number): string {
  return String(step + 1).padStart(2, '0');
}

interface PlanTexts {
  /** Of each step, what to run. */
  readonly commands: readonly (readonly string[])[];
  /** The plan as a page. */
  readonly page: string;
  readonly pin: Pin;
}

/** The files of a plan by their path in its folder: a folder for each step, and a page. */
export function renderPlan(
  plan: LockfilePlan,
  { commands, page, pin }: PlanTexts,
): ReadonlyMap<string, string> {
  const files = new Map([[PLAN_PAGE, page]]);
  for (const step of plan.steps.keys()) {
    const { kept, packages } = stepBundle(plan, step, pin);
    const streams = [
      [OBJECTS_FILE, kept],
      [PACKAGES_FILE, packages],
    ] as const;
    const filled = streams.filter(([, objects]) => objects.length > 0);
    const write = (name: string, text: string) => files.set(`${stepFolder(step)}/${name}`, text);
    for (const [name, objects] of filled) write(name, writeYamlStream(objects));
    if (filled.length > 0) {
      write(KUSTOMIZATION_FILE, writeYaml(kustomization(filled.map(([name]) => name))));
    }
    write(COMMANDS_FILE, script(plan.steps[step]!.warnings, commands[step]!));
  }
  return new Map(Array.from(files, ([name, text]) => [name, RENDERED_MARK + text]));
}

/** What to run, to be read first: it stops where something fails. */
function script(warnings: readonly string[], commands: readonly string[]): string {
  const remarks = warnings.map((text) => `# Warning: ${text.replaceAll('\n', ' ')}`);
  return [...remarks, 'set -eu', ...commands, ''].join('\n');
}
