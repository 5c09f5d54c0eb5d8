import { describe, expect, test } from 'vitest';
import { editedTexts } from '../../../src/project/edit/apply-patch.js';
import { inputEdit, type GivenInputs } from '../../../src/project/edit/input-edit.js';
import { readInputs } from '../../../src/project/inputs/read-inputs.js';
import type { RequestEdit } from '../../../src/project/inputs/request.js';
import type { Origin } from '../../../src/base/errors.js';

const A = 'h.io/a/a';

interface Given {
  readonly text?: string;
  readonly refs?: readonly string[];
  readonly crossplane?: string;
}

/** Reads a file and edits the entry at the origin of a root or dependency. */
async function edited(given: Given, editOf: (at: Origin) => RequestEdit, place = 0) {
  const { text, refs = [] } = given;
  const texts = new Map(text === undefined ? [] : [['in.yaml', text]]);
  const options = { files: [], refs, cwd: '/nowhere', unsaved: texts };
  const { request } = await readInputs({ ...options, stdin: () => Promise.resolve('') });
  const origins = request.roots.flatMap((root) =>
    root.root === 'local' ? root.dependsOn.map(({ origin }) => origin) : [root.origin],
  );
  const inputs: GivenInputs = {
    texts,
    refs,
    files: [...texts.keys()],
    hasCrossplane: given.crossplane !== undefined,
  };
  const edit = inputEdit([editOf(origins[place]!)], inputs);
  return { edit, text: edit && editedTexts(edit.files, texts).get('in.yaml') };
}

const version = (at: Origin): RequestEdit => ({
  edit: 'version',
  at,
  repository: A,
  version: '^v2.0.0',
});
const pinned = (at: Origin): RequestEdit => ({ ...version(at), version: 'v2.0.0' }) as RequestEdit;
const kind = (at: Origin): RequestEdit => ({ edit: 'kind', at, kind: 'Function' });
const repository = (at: Origin): RequestEdit => ({
  edit: 'repository',
  at,
  from: A,
  to: 'h.io/b/b',
});
const otherC = (at: Origin) => ({ ...repository(at), from: 'h.io/a/c' }) as RequestEdit;
const cycles = (): RequestEdit => ({ edit: 'allow-cycles' });
const crossplane = (): RequestEdit => ({ edit: 'crossplane', version: 'v2.1.0' });
const admitted = (at: Origin): RequestEdit => ({ edit: 'prerelease', at, repository: A });
const override = (): RequestEdit => ({ edit: 'override', repository: A, version: 'v2.0.0' });
const replace = (): RequestEdit => ({ edit: 'replace', repository: A, with: 'i.io/a/a' });
const remove = (at: Origin): RequestEdit => ({ edit: 'remove', at });

const SET = `# what we run
apiVersion: xpkg-resolve.dev/v1alpha1
kind: PackageSet
spec:
  packages:
    - provider: ${A} # ours
      version: 'v1.0.0' # for now
    - provider: h.io/a/c
`;

describe('an entry of a PackageSet', () => {
  test('changes the version and keeps the quotes', async () => {
    const { text } = await edited({ text: SET }, version);
    expect(text).toBe(SET.replace("'v1.0.0'", "'^v2.0.0'"));
  });

  test('adds a version where there was none', async () => {
    const { text } = await edited({ text: SET }, version, 1);
    expect(text).toBe(`${SET}      version: "^v2.0.0"\n`);
  });

  test('changes the package or the kind, or is removed', async () => {
    expect((await edited({ text: SET }, repository)).text).toBe(SET.replace(A, 'h.io/b/b'));
    expect((await edited({ text: SET }, remove, 1)).text).toBe(
      SET.replace('    - provider: h.io/a/c\n', ''),
    );
    const { text } = await edited({ text: SET }, kind);
    expect(text).toBe(SET.replace(`provider: ${A}`, `function: ${A}`));
  });

  test('in a JSON file', async () => {
    const spec = { packages: [{ provider: A, version: 'v1.0.0' }] };
    const set = { apiVersion: 'xpkg-resolve.dev/v1alpha1', kind: 'PackageSet', spec };
    const text = JSON.stringify(set, null, 2);
    expect((await edited({ text }, version)).text).toBe(text.replace('v1.0.0', '^v2.0.0'));
  });
});

const OBJECTS = `apiVersion: pkg.crossplane.io/v1
kind: Provider
metadata: { name: a }
spec:
  package: ${A}:v1.0.0 # pinned
---
apiVersion: pkg.crossplane.io/v1
kind: Provider
metadata:
  name: c
spec:
  package: h.io/a/c:v1.0.0
`;

/** The second document. */
const tail = (text: string | undefined) => text?.split('---\n')[1];

describe('an object of a stream', () => {
  test('changes the tag and keeps the other fields', async () => {
    const { text, edit } = await edited({ text: OBJECTS }, pinned);
    expect(text).toBe(OBJECTS.replace(`${A}:v1.0.0`, `${A}:v2.0.0`));
    expect(edit!.files).toEqual([
      {
        file: 'in.yaml',
        document: 0,
        patch: [{ op: 'replace', path: '/spec/package', value: `${A}:v2.0.0` }],
      },
    ]);
  });

  test('in the second document: changes the kind or the package, or is removed', async () => {
    expect(tail((await edited({ text: OBJECTS }, kind, 1)).text)).toContain('kind: Function');
    expect(tail((await edited({ text: OBJECTS }, otherC, 1)).text)).toContain('h.io/b/b:v1.0.0');
    const { text } = await edited({ text: OBJECTS }, remove, 1);
    const texts = new Map([['in.yaml', text!]]);
    const options = { files: [], refs: [], cwd: '/nowhere', unsaved: texts };
    const { request } = await readInputs({ ...options, stdin: () => Promise.resolve('') });
    expect(request.roots).toHaveLength(1);
  });

  test('in a List', async () => {
    const list = `apiVersion: v1\nkind: List\nitems:\n${OBJECTS.split('---\n')
      .map((each) => `  - ${each.trimEnd().replaceAll('\n', '\n    ')}\n`)
      .join('')}`;
    const { text, edit } = await edited({ text: list }, pinned);
    expect(text).toBe(list.replace(`${A}:v1.0.0`, `${A}:v2.0.0`));
    expect(edit!.files[0]!.patch[0]!.path).toBe('/items/0/spec/package');
  });
});

test('a dependency of a package under development', async () => {
  const text = `apiVersion: meta.pkg.crossplane.io/v1
kind: Configuration
metadata: { name: mine }
spec:
  dependsOn:
    - provider: ${A}
      version: ">=v1.0.0" # because
    - apiVersion: pkg.crossplane.io/v1
      kind: Provider
      package: h.io/a/c
      version: v1.0.0
`;
  expect((await edited({ text }, version)).text).toBe(text.replace('>=v1.0.0', '^v2.0.0'));
  expect((await edited({ text }, kind, 1)).text).toBe(
    text.replace('kind: Provider', 'kind: Function'),
  );
});

test('a dependency of a project', async () => {
  const text = `apiVersion: dev.crossplane.io/v1alpha1
kind: Project
metadata: { name: mine }
spec:
  dependencies:
    - type: xpkg
      xpkg:
        apiVersion: pkg.crossplane.io/v1
        kind: Provider
        package: ${A}
        version: v1.0.0
`;
  expect((await edited({ text }, version)).text).toBe(
    text.replace('version: v1.0.0', 'version: "^v2.0.0"'),
  );
});

describe('the command line', () => {
  const refs = [`${A}:v1.0.0`, 'h.io/a/c@^v1.0.0'];

  test('changes references', async () => {
    expect((await edited({ refs }, version)).edit!.refs).toEqual([`${A}@^v2.0.0`, refs[1]]);
    expect((await edited({ refs }, repository)).edit!.refs).toEqual(['h.io/b/b:v1.0.0', refs[1]]);
    expect((await edited({ refs }, remove, 1)).edit!.refs).toEqual([refs[0]]);
  });

  test('gets more flags', async () => {
    const given = { text: OBJECTS };
    expect((await edited(given, admitted)).edit).toMatchObject({ args: ['--prerelease', A] });
    expect((await edited(given, cycles)).edit).toMatchObject({ args: ['--allow-cycles'] });
    const args = ['--crossplane', 'v2.1.0'];
    expect((await edited(given, crossplane)).edit).toMatchObject({ args });
    expect((await edited({ text: SET, crossplane: 'v2.0.0' }, crossplane)).edit).toMatchObject({
      args,
    });
  });
});

describe('rules', () => {
  const block = `  overrides:\n    - package: ${A}\n      version: v2.0.0\n`;

  test('are added to the PackageSet, with a new list if needed', async () => {
    expect((await edited({ text: SET }, override)).text).toBe(SET + block);
    const other = `  overrides:\n    - package: h.io/a/c\n      version: v1.0.0\n`;
    expect((await edited({ text: SET + other }, override)).text).toBe(
      SET + other + block.split('\n').slice(1).join('\n'),
    );
  });

  test('are written to a new file if there is no PackageSet', async () => {
    expect((await edited({ refs: [A] }, replace)).edit).toEqual({
      files: [
        {
          file: 'xpkg.yaml',
          document: 0,
          patch: [
            {
              op: 'add',
              path: '',
              value: {
                apiVersion: 'xpkg-resolve.dev/v1alpha1',
                kind: 'PackageSet',
                spec: { replace: [{ package: A, with: 'i.io/a/a' }] },
              },
            },
          ],
        },
      ],
    });
    expect((await edited({ text: OBJECTS }, override)).edit).toMatchObject({
      files: [{ file: 'xpkg-rules.yaml' }],
      args: ['-f', 'xpkg-rules.yaml'],
    });
  });

  test('the Crossplane release is changed where it is set, otherwise added', async () => {
    const said = SET.replace('spec:\n', 'spec:\n  crossplane: v1.20.0 # old\n');
    expect((await edited({ text: said }, crossplane)).text).toBe(said.replace('v1.20.0', 'v2.1.0'));
    expect((await edited({ text: SET }, crossplane)).text).toBe(`${SET}  crossplane: v2.1.0\n`);
  });

  test('prereleases are allowed in the entry that requires the package', async () => {
    expect((await edited({ text: SET }, admitted, 1)).text).toBe(`${SET}      prerelease: true\n`);
  });
});

test('an edit outside of the files is not possible', async () => {
  const { edit } = await edited({ text: SET }, () => version({ file: 'elsewhere.yaml', line: 3 }));
  expect(edit).toBeUndefined();
});

const noInput = () => Promise.resolve('');

/** Reads texts by file name instead of files. */
function readTexts(unsaved: ReadonlyMap<string, string>) {
  return readInputs({ files: [], refs: [], cwd: '/nowhere', stdin: noInput, unsaved });
}

test('removing a package removes it from the PackageSet and from the included one', async () => {
  const head = 'apiVersion: xpkg-resolve.dev/v1alpha1\nkind: PackageSet\nspec:\n';
  const own = `    - provider: ${A}\n      version: v2.0.0\n    - provider: h.io/a/d\n`;
  const texts = new Map([
    ['top.yaml', `${head}  include: [base.yaml]\n  packages:\n${own}`],
    ['base.yaml', SET],
  ]);
  const { request } = await readTexts(texts);
  const root = request.roots.find((each) => each.root === 'package' && each.repository === A);
  const given = { texts, refs: [], files: ['top.yaml'], hasCrossplane: false };
  const edit = inputEdit([remove(root!.origin)], given);
  const { request: after } = await readTexts(
    new Map([...texts, ...editedTexts(edit!.files, texts)]),
  );
  expect(after.roots.map((each) => each.root === 'package' && each.repository)).toEqual([
    'h.io/a/c',
    'h.io/a/d',
  ]);
});
