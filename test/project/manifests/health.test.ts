import { evaluate } from '@marcbachmann/cel-js';
import { load } from 'js-yaml';
import { expect, test } from 'vitest';
import { argoCdSettings, HEALTH_CHECKS } from '../../../src/project/manifests/argocd.js';
import { PACKAGE_IN_PROGRESS, PACKAGE_IS_CURRENT } from '../../../src/project/manifests/flux.js';
import type { JsonObject } from '../../../src/base/json.js';
import {
  isInstalledAndHealthy,
  MADE_UP_HEALTH,
  recordedPackages,
} from '../../support/gitops/package-health.js';

/** Evaluates an expression like Flux: an error means "not yet". */
function holds(expression: string, object: JsonObject): boolean | 'error' {
  try {
    return evaluate(expression, { ...object }) as boolean;
  } catch {
    return 'error';
  }
}

test.each(MADE_UP_HEALTH)('Flux continues only when Argo CD would: $why', ({ object, argocd }) => {
  expect(holds(PACKAGE_IS_CURRENT, object) === true).toBe(argocd === 'Healthy');
  if (argocd === 'Healthy') expect(holds(PACKAGE_IN_PROGRESS, object)).toBe(false);
});

test('packages in states of real clusters', () => {
  const recorded = recordedPackages();
  expect(recorded.length).toBeGreaterThan(10);
  const current = recorded.map(({ object }) => holds(PACKAGE_IS_CURRENT, object) === true);
  expect(current).toEqual(recorded.map(({ object }) => isInstalledAndHealthy(object)));
  expect(current).toContain(true);
});

test('the settings of Argo CD contain the scripts, line by line', () => {
  const { data } = load(argoCdSettings()) as { data: Record<string, string> };
  for (const [kind, script] of HEALTH_CHECKS) {
    expect(data[`resource.customizations.health.${kind}`]).toBe(script);
  }
});
