import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PACKAGE_HEALTH, POLICY_HEALTH } from '../../src/project/manifests/argocd.js';
import { PACKAGE_IN_PROGRESS, PACKAGE_IS_CURRENT } from '../../src/project/manifests/flux.js';
import type { JsonObject, JsonValue } from '../../src/base/json.js';
import {
  isInstalledAndHealthy,
  MADE_UP_HEALTH,
  recordedPackages,
} from '../support/gitops/package-health.js';
import { tool, toolPath } from './tools.js';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'health-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Returns a JSON value in the syntax of Lua. */
function lua(value: JsonValue): string {
  if (value === null) return 'nil';
  if (Array.isArray(value)) return `{${value.map(lua).join(', ')}}`;
  if (typeof value !== 'object') return typeof value === 'string' ? luaText(value) : String(value);
  return `{${Object.entries(value)
    .map(([key, member]) => `[${luaText(key)}] = ${lua(member)}`)
    .join(', ')}}`;
}

function luaText(text: string): string {
  const bytes = [...Buffer.from(text)];
  return `"${bytes.map((byte) => `\\${String(byte).padStart(3, '0')}`).join('')}"`;
}

/** Returns an activation policy whose condition has that status. */
function policy(status?: string): JsonObject {
  const conditions = [{ type: 'Healthy', status: status ?? '', reason: 'Why' }];
  const kind = 'ManagedResourceActivationPolicy';
  return status === undefined ? { kind } : { kind, status: { conditions } };
}

/** Libraries that Argo CD removes from its Lua. */
const CLOSED = 'string, math, io, debug, coroutine, loadfile, dofile = nil';

/** Returns the result of a script for each object: status, a tab, and the message. */
function judge(program: string, script: string, objects: readonly JsonObject[]): string[] {
  const calls = objects.map((object) => `tell(${lua(object)})`);
  const source = `local print, tostring = print, tostring
${CLOSED}
local function judge()
${script}end
function tell(each)
  obj = each
  local health = judge()
  print(health.status .. "\\t" .. tostring(health.message))
end
${calls.join('\n')}
`;
  const file = join(folder, 'health.lua');
  writeFileSync(file, source);
  return tool(program, [file]).trimEnd().split('\n');
}

describe.each(['glua', 'lua5.1'])('health checks of Argo CD in %s', (program) => {
  test('generated packages', () => {
    const objects = MADE_UP_HEALTH.map(({ object }) => object);
    const told = judge(program, PACKAGE_HEALTH, objects);
    expect(told.map((line, n) => [MADE_UP_HEALTH[n]!.why, line.split('\t')[0]])).toEqual(
      MADE_UP_HEALTH.map(({ why, argocd }) => [why, argocd]),
    );
    const refused = told.find((line) => line.includes('cannot unpack'));
    expect(refused).toBe('Degraded\tInstalled: cannot unpack package: "x" %s ]]');
  });

  test('packages recorded in real clusters', () => {
    const recorded = recordedPackages();
    expect(recorded.length).toBeGreaterThan(10);
    const told = judge(
      program,
      PACKAGE_HEALTH,
      recorded.map(({ object }) => object),
    );
    expect(told.map((line) => line.startsWith('Healthy\t'))).toEqual(
      recorded.map(({ object }) => isInstalledAndHealthy(object)),
    );
  });

  test('activation policies', () => {
    const told = judge(program, POLICY_HEALTH, [policy(), policy('True'), policy('False')]);
    expect(told.map((line) => line.split('\t')[0])).toEqual(['Progressing', 'Healthy', 'Degraded']);
  });
});

test('health expressions of Flux, evaluated by cel-go as Flux does', () => {
  const objects = [
    ...MADE_UP_HEALTH.map(({ object, argocd }) => ({ object, isCurrent: argocd === 'Healthy' })),
    ...recordedPackages().map(({ object }) => ({
      object,
      isCurrent: isInstalledAndHealthy(object),
    })),
  ];
  const questions = objects.flatMap(({ object }) =>
    [PACKAGE_IS_CURRENT, PACKAGE_IN_PROGRESS].map((expression) => ({ expression, object })),
  );
  const ran = spawnSync(toolPath('cel'), {
    input: questions.map((question) => `${JSON.stringify(question)}\n`).join(''),
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  });
  expect([ran.error, ran.status, ran.stderr]).toEqual([undefined, 0, '']);
  const answers = ran.stdout.trimEnd().split('\n');
  expect(answers).toHaveLength(2 * objects.length);
  for (const [n, { object, isCurrent }] of objects.entries()) {
    const [current, inProgress] = answers.slice(2 * n);
    // Flux checks `inProgress` first.
    expect(inProgress === 'false' && current === 'true').toBe(isCurrent);
    if (object['status'] === undefined) expect([current, inProgress]).toEqual(['error', 'error']);
    else expect(['true', 'false']).toContain(current);
  }
});
