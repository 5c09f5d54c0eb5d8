import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { documentsOf, interpolated, type PipelineMachine, type Ran } from './pipeline.js';

interface ActionStep {
  readonly run: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly 'working-directory'?: string;
}

interface Action {
  readonly inputs: Readonly<Record<string, { readonly default: string }>>;
  readonly runs: { readonly using: string; readonly steps: readonly ActionStep[] };
}

/** Runs `action.yml` like a runner: its steps in bash, with the files that a runner provides. */
export class GithubAction {
  readonly #machine: PipelineMachine;
  readonly #action = documentsOf('action.yml')[0] as Action;

  constructor(machine: PipelineMachine) {
    this.#machine = machine;
  }

  run(given: Readonly<Record<string, string>>) {
    const { repository, temporary } = this.#machine;
    const inputs = Object.entries(this.#action.inputs).map(([name, { default: value }]) => [
      `inputs.${name}`,
      given[name] ?? value,
    ]);
    const values = {
      ...(Object.fromEntries(inputs) as Record<string, string>),
      'github.action_path': join(import.meta.dirname, '../..'),
    };
    const files = ['GITHUB_PATH', 'GITHUB_OUTPUT', 'GITHUB_STEP_SUMMARY'].map(
      (name) => [name, join(temporary, name)] as const,
    );
    for (const [, file] of files) writeFileSync(file, '');
    const runner = {
      GITHUB_ACTIONS: 'true',
      CI: 'true',
      GITHUB_WORKSPACE: repository,
      RUNNER_TEMP: temporary,
      ...Object.fromEntries(files),
    };
    let ran: Ran = { status: 0, stdout: '', stderr: '' };
    for (const step of this.#action.runs.steps) {
      const env = Object.entries(step.env ?? {}).map(([k, v]) => [k, interpolated(v, values)]);
      const own = Object.fromEntries(env) as Record<string, string>;
      const cwd = interpolated(step['working-directory'] ?? '.', values);
      ran = this.#machine.bash(step.run, { ...runner, ...own }, { cwd });
      if (ran.status !== 0) break;
      for (const folder of linesOf(join(temporary, 'GITHUB_PATH'))) this.#machine.addPath(folder);
    }
    const outputs = linesOf(join(temporary, 'GITHUB_OUTPUT')).map((line) => line.split('='));
    return {
      ran,
      outputs: Object.fromEntries(outputs) as Record<string, string>,
      summary: readFileSync(join(temporary, 'GITHUB_STEP_SUMMARY'), 'utf8'),
    };
  }
}

function linesOf(file: string): string[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '');
}
