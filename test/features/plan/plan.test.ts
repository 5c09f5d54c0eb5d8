import { describe, expect, test } from 'vitest';
import { memorySource } from '../../../src/sources/memory-source.js';
import {
  scriptCommands,
  planCommands,
  renderPlan,
} from '../../../src/features/plan/render-plan.js';
import { type LockfilePlan, type NoPlan, plan } from '../../../src/features/plan/plan.js';
import { causeText } from '../../../src/features/plan/steps.js';
import { locked, lockfileOf, needs, withSpec } from '../../support/lockfiles.js';
import { providers, requiring } from '../../support/universes.js';

const APP = 'x.io/acme/app';
const DB = 'x.io/acme/db';
const app = (version: string, wants: string) =>
  locked(`${APP}:${version}`, { requirements: [needs(`${DB} ${wants}`)] });
const before = lockfileOf([app('v1.0.0', '^v1.0.0'), locked(`${DB}:v1.0.0`)]);
const after = lockfileOf([app('v2.0.0', '^v2.0.0'), locked(`${DB}:v2.0.0`)]);

const source = (versions: Parameters<typeof providers>[0]) => () =>
  Promise.resolve(memorySource(providers(versions)));
const other = (version: string, wants: string) =>
  locked(`x.io/acme/web:${version}`, { requirements: [needs(`x.io/acme/net ${wants}`)] });
const crd = (name: string) => ({ kind: 'CRD' as const, name });
const FN = 'x.io/acme/fn';
const fn = (version: string) => locked(`${FN}:${version}`, { kind: 'Function' });
const name = (n: number) => `x.io/acme/p${String(n).padStart(3, '0')}`;

const hundredsAt = (major: number) =>
  Array.from({ length: 300 }, (_, n) =>
    locked(`${name(n)}:v${major}.0.0`, {
      requirements: n % 10 === 0 ? [] : [needs(`${name(n - 1)} >=v${major}.0.0`)],
      owns: Array.from({ length: 20 }, (_, k) => ({
        kind: 'CRD' as const,
        name: `c${k}.p${n}.io`,
      })),
    }),
  );

function applied(answer: LockfilePlan): string[][] {
  return answer.steps.map(({ applied: moves }) =>
    moves.map(
      ({ repository, to }) => `${repository.slice('x.io/acme/'.length)} ${to!.locked.version}`,
    ),
  );
}

/** Returns a pattern for the pin with a name in a command. */
const config = (pinned: string) => `imageconfig\\.pkg\\.crossplane\\.io/pin-${pinned}`;

function planned(answer: LockfilePlan | NoPlan): LockfilePlan {
  if (answer.status === 'planned') return answer;
  throw new Error(answer.impasse.causes.map(causeText).join('\n'));
}

describe('an intermediate version', () => {
  test('is found if it is compatible with both ends', async () => {
    const answer = await plan(before, after, {
      source: source({
        [APP]: {
          'v1.0.0': requiring({ [DB]: '^v1.0.0' }),
          'v1.4.0': requiring({ [DB]: '>=v1.0.0, <v3.0.0' }),
          'v1.5.0': requiring({ [DB]: '^v1.0.0' }),
          'v2.0.0': requiring({ [DB]: '^v2.0.0' }),
        },
        [DB]: { 'v1.0.0': {}, 'v2.0.0': {} },
      }),
    });
    expect(answer.status).toBe('unsolvable');
    const { between } = answer as NoPlan;
    expect(between?.packages?.map(({ version }) => version)).toEqual(['v1.4.0']);
    expect(applied(between!.plan)).toEqual([['app v1.4.0'], ['db v2.0.0'], ['app v2.0.0']]);
  });

  test('is not found if none is compatible with both ends', async () => {
    const answer = await plan(before, after, {
      source: source({ [APP]: { 'v1.5.0': requiring({ [DB]: '^v1.0.0' }) }, [DB]: {} }),
    });
    expect(answer).toMatchObject({ status: 'unsolvable', between: undefined });
  });

  test('may require packages of neither lockfile, and their requirements', async () => {
    const answer = await plan(before, after, {
      source: source({
        [APP]: { 'v1.5.0': requiring({ [DB]: '>=v1.0.0', 'x.io/acme/bridge': '^v1.0.0' }) },
        'x.io/acme/bridge': {
          'v2.0.0': {},
          'v1.1.0': requiring({ 'x.io/acme/pier': '*' }),
          'v0.9.0': {},
        },
        'x.io/acme/pier': { 'v0.1.0': {} },
      }),
    });
    const { between } = answer as NoPlan;
    expect(applied(between!.plan)).toEqual([
      ['pier v0.1.0'],
      ['bridge v1.1.0'],
      ['app v1.5.0'],
      ['db v2.0.0'],
      ['app v2.0.0'],
      [],
      [],
    ]);
    const removed = between!.plan.steps.map(({ removed }) =>
      removed.map((move) => move.repository),
    );
    expect(removed).toEqual([[], [], [], [], [], ['x.io/acme/bridge'], ['x.io/acme/pier']]);
  });

  test('has a unique name, and the settings that all packages of its kind share', async () => {
    const object = {
      apiVersion: undefined,
      metadata: {},
      spec: { packagePullSecrets: [{ name: 'regcred' }], packagePullPolicy: 'Always' },
    };
    const bridge = 'y.io/acme/bridge';
    const answer = await plan(
      lockfileOf([{ ...before.packages[0]!, name: 'acme-bridge' }, before.packages[1]!]),
      lockfileOf([
        { ...after.packages[0]!, name: 'acme-bridge', object },
        {
          ...after.packages[1]!,
          object: { ...object, spec: { packagePullSecrets: [{ name: 'regcred' }] } },
        },
      ]),
      {
        source: source({
          [APP]: { 'v1.5.0': requiring({ [DB]: '>=v1.0.0', [bridge]: '^v1.0.0' }) },
          [bridge]: { 'v1.0.0': {} },
        }),
      },
    );
    const [first] = (answer as NoPlan).between!.plan.steps[0]!.applied;
    expect(first!.to!.locked).toMatchObject({
      repository: bridge,
      name: expect.stringMatching(/^acme-bridge-[0-9a-f]{8}$/) as string,
      direct: false,
      object: { spec: { packagePullSecrets: [{ name: 'regcred' }] } },
    });
    expect(first!.to!.locked.object.spec).not.toHaveProperty('packagePullPolicy');
  });

  test('is possible several times for one package', async () => {
    const answer = await plan(
      before,
      lockfileOf([app('v2.0.0', '^v3.0.0'), locked(`${DB}:v3.0.0`)]),
      {
        source: source({
          [APP]: {
            'v1.4.0': requiring({ [DB]: '>=v1.0.0, <v3.0.0' }),
            'v1.5.0': requiring({ [DB]: '>=v2.0.0' }),
          },
          [DB]: { 'v2.0.0': {} },
        }),
      },
    );
    expect(applied((answer as NoPlan).between!.plan)).toEqual([
      ['app v1.4.0'],
      ['db v2.0.0'],
      ['app v1.5.0'],
      ['db v3.0.0'],
      ['app v2.0.0'],
    ]);
  });

  test('may be an older version of an added package', async () => {
    const wants = (range: string) => [needs(`${DB} ${range}`), needs(`x.io/acme/net ${range}`)];
    const answer = await plan(
      before,
      lockfileOf([
        locked(`${APP}:v2.0.0`, { requirements: wants('^v2.0.0') }),
        locked(`${DB}:v2.0.0`),
        locked('x.io/acme/net:v2.0.0', { requirements: [needs(`${DB} ^v2.0.0`)] }),
      ]),
      {
        source: source({
          [APP]: { 'v1.5.0': requiring({ [DB]: '>=v1.0.0', 'x.io/acme/net': '>=v1.0.0' }) },
          'x.io/acme/net': { 'v1.0.0': {}, 'v3.0.0': {} },
        }),
      },
    );
    const { between } = answer as NoPlan;
    expect(between?.packages?.map(({ version }) => version)).toEqual(['v1.5.0', 'v1.0.0']);
    expect(applied(between!.plan)).toEqual([
      ['net v1.0.0'],
      ['app v1.5.0'],
      ['db v2.0.0'],
      ['net v2.0.0'],
      ['app v2.0.0'],
    ]);
  });

  test('is found for each of several blocked packages', async () => {
    const answer = await plan(
      lockfileOf([...before.packages, other('v1.0.0', '^v1.0.0'), locked('x.io/acme/net:v1.0.0')]),
      lockfileOf([...after.packages, other('v2.0.0', '^v2.0.0'), locked('x.io/acme/net:v2.0.0')]),
      {
        source: source({
          [APP]: { 'v1.4.0': requiring({ [DB]: '>=v1.0.0' }) },
          'x.io/acme/web': { 'v1.3.0': requiring({ 'x.io/acme/net': '>=v1.0.0' }) },
        }),
      },
    );
    const versions = (answer as NoPlan).between?.packages?.map(({ version }) => version);
    expect(versions?.toSorted()).toEqual(['v1.3.0', 'v1.4.0']);
  });

  test('may be a release of Crossplane', async () => {
    // v2.1.8, the newest patch of v2.1, is compatible with only one of them.
    const old = locked(`${APP}:v1.0.0`, { crossplane: '<v2.1.4' });
    const young = locked(`${APP}:v2.0.0`, { crossplane: '>=v2.1.2' });
    const answer = await plan(
      lockfileOf([old], { crossplane: 'v1.20.0' }),
      lockfileOf([young], { crossplane: 'v2.3.4' }),
      { source: source({}) },
    );
    const { between } = answer as NoPlan;
    expect(between?.releases?.map(({ version }) => version)).toEqual(['v2.1.3']);
    expect(applied(between!.plan)).toEqual([[], [], ['app v2.0.0'], [], []]);
  });
});

describe('objects in a plan', () => {
  test('there are warnings for deleted, orphaned and handed over objects', async () => {
    const answer = planned(
      await plan(
        lockfileOf([
          locked('x.io/acme/aws:v1.0.0', { owns: [crd('a.acme.io'), crd('z.acme.io')] }),
          locked('x.io/acme/db:v1.0.0', { owns: [crd('old.acme.io')] }),
        ]),
        lockfileOf([
          locked('x.io/acme/aws-a:v1.0.0', { owns: [crd('a.acme.io')] }),
          locked('x.io/acme/db:v2.0.0'),
        ]),
      ),
    );
    expect(answer.steps.map(({ warnings }) => warnings)).toEqual([
      [
        'CRD a.acme.io passes from x.io/acme/aws to x.io/acme/aws-a: delete x.io/acme/aws only when x.io/acme/aws-a is healthy, or it, with every object of it, is deleted with it',
        'removing x.io/acme/aws deletes CRD z.acme.io, with every object of it; what they stand for outside the cluster stays there unless they are deleted while x.io/acme/aws runs',
        'x.io/acme/db v2.0.0 no longer has CRD old.acme.io: it stays in the cluster, and no package owns it',
      ],
    ]);
  });

  test("changes of only the user's objects are a step, too", async () => {
    const objects = [
      {
        apiVersion: 'pkg.crossplane.io/v1beta1',
        kind: 'ImageConfig',
        metadata: { name: 'mirror' },
        spec: { matchImages: [{ prefix: 'x.io' }], rewriteImage: { prefix: 'y.io' } },
      },
    ];
    const answer = planned(await plan(before, lockfileOf(before.packages, { objects })));
    expect(answer.steps).toHaveLength(1);
    const files = renderPlan(answer, { commands: [['true']], page: '', pin: 'tag' });
    expect([...files.keys()].sort()).toEqual([
      '01/commands.sh',
      '01/kustomization.yaml',
      '01/objects.yaml',
      'README.md',
    ]);
  });

  test('each step is rendered for its release', async () => {
    const answer = planned(
      await plan(
        lockfileOf([locked(`${APP}:v1.0.0`, { crossplane: '<v1.17.0' }), fn('v1.0.0')], {
          crossplane: 'v1.16.0',
        }),
        lockfileOf([locked(`${APP}:v2.0.0`), fn('v2.0.0')], { crossplane: 'v2.3.4' }),
      ),
    );
    const commands = answer.steps.map(() => []);
    const files = renderPlan(answer, { commands, page: '', pin: 'tag' });
    const hops = Array.from({ length: 8 }, () => []);
    expect(applied(answer)).toEqual([['app v2.0.0'], ...hops, ['fn v2.0.0']]);
    expect(files.get('10/packages.yaml')).toContain('apiVersion: pkg.crossplane.io/v1\n');
    expect(files.has('02/packages.yaml')).toBe(false);
  });

  test('an object of the user is applied with the first release that has its kind', async () => {
    const policy = {
      apiVersion: 'apiextensions.crossplane.io/v1alpha1',
      kind: 'ManagedResourceActivationPolicy',
      metadata: { name: 'some' },
      spec: { activate: ['*.acme.io'] },
    };
    const answer = planned(
      await plan(
        lockfileOf([], { crossplane: 'v1.19.0' }),
        lockfileOf([], { crossplane: 'v2.0.8', objects: [policy] }),
      ),
    );
    const files = renderPlan(answer, { commands: [[], []], page: '', pin: 'tag' });
    expect([...files.keys()].filter((file) => file.endsWith('objects.yaml'))).toEqual([
      '02/objects.yaml',
    ]);
  });

  test('each upgrade of Crossplane warns about required preparations', async () => {
    const from = [
      locked(`${APP}:v1.0.0`, { crossplane: '<v2.0.0' }),
      locked(`${DB}:v1.0.0`, withSpec({ controllerConfigRef: { name: 'big' } })),
    ];
    const to = [
      locked(`${APP}:v2.0.0`),
      locked(`${DB}:v2.0.0`, {
        ...withSpec({ runtimeConfigRef: { name: 'big' } }),
        crossplane: '>=v2.0.0',
      }),
    ];
    const answer = planned(
      await plan(
        lockfileOf(from, { crossplane: 'v1.19.3' }),
        lockfileOf(to, { crossplane: 'v2.0.8' }),
      ),
    );
    expect(applied(answer)).toEqual([[], ['app v2.0.0'], [], ['db v2.0.0']]);
    const [, , toV2] = answer.steps;
    expect(toV2!.releaseBecause!.map(causeText)).toEqual([
      'x.io/acme/app v1.0.0 needs Crossplane `<v2.0.0`, which v2.0.8 does not fit',
    ]);
    expect(toV2!.warnings.join('\n')).toContain(
      'no ControllerConfig, no Compositions with `mode: Resources`',
    );
    expect(toV2!.warnings.join('\n')).toContain('x.io/acme/db v1.0.0 has a `controllerConfigRef`');
    expect(toV2!.warnings.join('\n')).toContain(
      'not checked: whether the metadata of x.io/acme/app v2.0.0 and 1 more has an image',
    );
    expect(answer.steps[0]!.warnings).toEqual([]);
  });

  test('there is a warning for minor versions without a known release', async () => {
    const [from, to] = ['v1.18.0-up.1', 'v1.20.0-up.1'].map((crossplane) =>
      lockfileOf([], { crossplane }),
    );
    const answer = planned(await plan(from!, to!));
    expect(answer.steps.map(({ warnings }) => warnings.join())).toEqual([
      expect.stringContaining('skips v1.19,'),
    ]);
  });

  test('a pin is applied with its package, or first if the package does not change', async () => {
    const from = lockfileOf([locked(`${APP}:v1.0.0`), fn('v1.0.0')], { crossplane: 'v2.3.4' });
    const to = lockfileOf([locked(`${APP}:v2.0.0`), fn('v1.0.0')], { crossplane: 'v2.3.4' });
    const answer = planned(await plan(from, to, { pin: 'locked' }));
    const files = renderPlan(answer, { commands: [[]], page: '', pin: 'locked' });
    const pins = [...files.get('01/objects.yaml')!.matchAll(/prefix: (\S+:v\S+)/g)];
    expect(pins.map(([, prefix]) => prefix)).toEqual([`${FN}:v1.0.0`, `${APP}:v2.0.0`]);
    expect(files.get('01/packages.yaml')).not.toContain(FN);
  });

  test('exceptions for longer tags are deleted before a pin with the same prefix is applied', async () => {
    const from = lockfileOf([
      locked(`${APP}:v1.4.1`, { longerTags: ['v1.4.1-', 'v1.4.10'] }),
      locked(`${DB}:v1.0.0`, { longerTags: ['v1.0.0-'] }),
    ]);
    const to = lockfileOf([locked(`${APP}:v1.4.10`, { longerTags: ['v1.4.10-'] })]);
    const answer = planned(await plan(from, to, { pin: 'locked' }));
    const [commands] = planCommands(answer, { folder: 'plan', pin: 'locked' }).map(scriptCommands);
    const hash = '-[0-9a-f]{8}';
    const gone = `${config(`acme-app${hash}`)} ${config(`acme-app${hash}`)}`;
    const removed = `${config('acme-db')} ${config(`acme-db${hash}`)}`;
    const found = [new RegExp(` ${gone} `), / apply -k /, new RegExp(` ${removed} `)].map((each) =>
      commands!.findIndex((command) => each.test(command)),
    );
    expect(found).not.toContain(-1);
    expect(found).toEqual(found.toSorted((a, b) => a - b));
  });

  test('with digest pins, dependencies are not checked', async () => {
    const answer = planned(await plan(before, after, { pin: 'digest' }));
    expect(applied(answer)).toEqual([['db v2.0.0', 'app v2.0.0']]);
  });
});

test('plans hundreds of moving packages quickly', async () => {
  const answer = planned(await plan(lockfileOf(hundredsAt(1)), lockfileOf(hundredsAt(2))));
  expect(answer.steps.map(({ applied: moves }) => moves.length)).toEqual(Array(10).fill(30));
});
