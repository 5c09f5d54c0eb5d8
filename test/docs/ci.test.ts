import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { REPORT_FORMATS } from '../../src/cli/arguments/common-flags.js';
import { readPage } from '../support/docs/page.js';
import { documentsOf } from '../support/pipeline.js';

const { text: PAGE, blocks, shell } = readPage('docs/ci.md');

test('its sessions are run by test/docs/pages.test.ts', () => {
  expect(shell.map(({ language, mark }) => [language, mark])).toEqual(
    Array.from({ length: 4 }, () => ['console', undefined]),
  );
});

test('it lists every format', () => {
  const [, table = ''] = PAGE.split('| format | is |\n');
  const listed = [...table.split('\n\n')[0]!.matchAll(/^\| `(\w+)`/gm)].map(([, name]) => name);
  expect(listed).toEqual([...REPORT_FORMATS]);
});

test('it names every input and output of the action', () => {
  const [action] = documentsOf('action.yml') as [Record<'inputs' | 'outputs', object>];
  for (const name of [...Object.keys(action.inputs), ...Object.keys(action.outputs)])
    expect(PAGE).toContain(`\`${name}\``);
});

test('its YAML examples use existing inputs and hooks', () => {
  const [workflow, hooks] = blocks
    .filter(({ language }) => language === 'yaml')
    .map(({ body }) => parse(body) as unknown) as [
    { jobs: { packages: { steps: { uses: string; with?: object }[] } } },
    { repos: { hooks: { id: string }[] }[] },
  ];
  const step = workflow.jobs.packages.steps.find(({ uses }) => uses.includes('/xpkg-resolve@'))!;
  const [action] = documentsOf('action.yml') as [{ inputs: object }];
  expect(Object.keys(action.inputs)).toEqual(expect.arrayContaining(Object.keys(step.with!)));
  const [known] = documentsOf('.pre-commit-hooks.yaml') as [{ id: string }[]];
  const ids = known.map(({ id }) => id);
  expect(hooks.repos[0]!.hooks.map(({ id }) => id)).toEqual(ids);
});
