import { expect, test } from 'vitest';
import { isRejection, judge } from '../../src/crossplane/packages/admission.js';
import { ownershipKey } from '../../src/crossplane/packages/owned-objects.js';
import type { PackageContents } from '../../src/crossplane/packages/package-contents.js';
import { contents, crd, target } from '../support/contents.js';

function owned(judged: PackageContents, on: string): string[] {
  const answer = judge(judged, target(on));
  return isRejection(answer) ? ['rejected'] : answer.owns.map(ownershipKey);
}

const fn = contents({ kind: 'Function' }, [crd('inputs.fn.io')]);

test('CRDs of Functions are owned up to v2.1 and not installed from v2.2 on', () => {
  expect(owned(fn, 'v2.1.0')).toEqual(['crd:inputs.fn.io']);
  expect(owned(fn, 'v2.2.0')).toEqual([]);
});

test('a CRD in a Configuration is an error up to v2.1 and ignored with a warning later', () => {
  const configuration = contents({}, [crd('dbs.acme.io')]);
  expect(judge(configuration, target('v2.1.0'))).toMatchObject({
    rejected: true,
    findings: [{ severity: 'error', code: 'object-not-allowed' }],
  });
  expect(judge(configuration, target('v2.2.0'))).toMatchObject({
    owns: [],
    findings: [{ severity: 'warning', code: 'object-not-allowed' }],
  });
});

test.each(['v1.14.0', 'v2.1.0', 'v2.2.0', 'v2.3.4'])(
  'a ConfigMap is fatal on %s, as on every target',
  (on) => {
    const configuration = contents({}, [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'settings' }]);
    expect(judge(configuration, target(on))).toMatchObject({
      rejected: true,
      findings: [{ code: 'unregistered-kind' }],
    });
  },
);
