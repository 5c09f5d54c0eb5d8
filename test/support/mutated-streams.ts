import type { Draw } from '../../src/base/collections.js';

/**
 * Returns a package.yaml stream with one to three unusual parts; `written` is the stream that a
 * tool would write.
 */
export function mutatedStream(
  draw: Draw,
  written: () => string = () => someDocuments(draw),
): Buffer {
  let text = written();
  for (let times = pick([1, 1, 2], draw); times > 0; times--)
    text = pick(MUTATIONS, draw)(text, draw);
  if (draw(25) === 0) text = text.replaceAll('\n', '\r\n');
  if (draw(20) === 0) text = `---\n${text}`;
  if (draw(40) === 0) text = text.trimEnd();
  const bytes = Buffer.from(text);
  if (draw(60) === 0 && bytes.length > 0) bytes[draw(bytes.length)] = draw(256);
  return bytes;
}

function someDocuments(draw: Draw): string {
  const documents = Array.from({ length: pick([1, 1, 2], draw) }, () => pick(DOCUMENTS, draw));
  return documents.join('---\n');
}

type Mutation = (text: string, draw: Draw) => string;

const DOCUMENTS = [
  `apiVersion: meta.pkg.crossplane.io/v1
kind: Configuration
metadata:
  name: platform # the name
  labels: {a: b, "c": 'd'}
  annotations:
    text: |
      several lines
        indented

      end
    folded: >-
      one
      two
spec:
  crossplane:
    version: ">=v1.14.0"
  dependsOn:
  - provider: xpkg.io/a/b
    version: ">=v1.0.0, <v2"
  - {function: xpkg.io/e/f, version: "*"}
  capabilities: [a, "b", c]
`,
  `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: buckets.s3.example.org
  creationTimestamp: null
spec:
  group: s3.example.org
  names:
    kind: Bucket
    plural: buckets
  versions:
  - name: v1beta1
    served: true
    schema:
      type: object
      description: |-
        A bucket: "quoted" # not a comment
        --- not a separator
      m: {type: integer, default: 0x1F}
  - name: v1
    text: plain text that
      goes on
status:
  conditions: []
`,
  `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  annotations:
    made-by: a-tool v0.19.0
  name: "queues.sqs.example.org"
spec:
  group: sqs.example.org
  names:
    categories:
    - aws
    kind: Queue
  versions:
  - name: v1
    schema:
      enum: []
      properties:
        kind:
          description: 'A Queue: it''s a
            place for things'
          type: "string \\n"
        other:
          description: >
            kind: not this one
        required:
        -
        - - b
          - c
    served: true # for now
status: {}
`,
  `apiVersion: apiextensions.crossplane.io/v1
kind: CompositeResourceDefinition
metadata: {name: xdbs.acme.io}
spec:
  group: acme.io
  names: {kind: XDB, plural: xdbs}
  claimNames:
    kind: DB
    plural: dbs
  versions:
    - name: v1alpha1
      referenceable: true
`,
  `# a comment
apiVersion: apiextensions.crossplane.io/v1
kind: Composition
metadata:
  name: "xdb-aws"
  labels: &l
    provider: aws
    m: "1"
spec:
  other: *l
  merged:
    <<: *l
    more: true
  list: [*l, {<<: *l, m: 'x'}]
  text: "escaped \\u00e9 \\n \\x41 \\
    continued
    and folded"
  single: 'it''s
    folded'
...
`,
  `{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "j", "annotations": {"a": "b"}},
  "data": [1, -2.5e3, true, null, "x"]}
`,
  `"apiVersion": 'meta.pkg.crossplane.io/v1'
kind: Provider
metadata:
    name: !!str p
    labels:
        x: "5"
spec:
    controller: {image: "x:y"}
    deep:
    -   - a
        - - b
    - c: d
      ? long
      : e: f
        ? longer
        : - e
      f: [g, {h: i}]
    crossplane: {version: ^v1}
`,
];

const SCALARS = [
  ...apart(`
    null  ~  Null  yes  No  on  OFF  y  n  true  TRUE  tRue  0x10  0x  -0x1F  0o17  017  08  0b11
    -0b1  0b2  1_000  _1  1__  .5_0  ._5  1e5  1e400  .5  -.5  +1  -0  -0.0  1.  .  -  +  12:30:45
    12345678901234567890  123456789012345678901  0xFFFFFFFFFFFFFFFFF  07777777777777777777777
    -9223372036854775809  190:20:30  .inf  -.INF  +.inf  .nan  .NaN  Infinity  2001-01-01
    2001-01-01T00:00:00Z  <<  =  !  !!str  !!str x  !!int 5  !!int "5"  !!binary aGk=  !x y  !<x> y
    !!null  a:b  a: b  a :b  a #b  a#b  :a  :  ?a  ? a  -a  - a  a:  @a  \`a\`  %a  "a"b  "a" "b"
    "a\\/b"  "\\ud83d\\ude00"  "\\U0001F600"  "\\'"  "\\e\\0\\N\\_\\L"  "a\\xzz"  "\\ud800"  "\\\\/"
    "\\U00110000"  'a''b'  ''  ""  'a\\nb'  "a"#b  "a" #b  'a'b  [a]  [a, b]  [a,b]  [a,]  [,]  [a:b]
    [a: b]  ["a":b]  [a?b]  [?a]  [? a]  [-a]  [- a]  [-]  [:a]  [a:]  [a #b]  [[a]]  [ ]  [a]b
    [a] b  [http://x?y=z]  [http://x:8/y]  {a: b}  {a:b}  {a:}  {a: }  {a}  {a, b}  {"a":b}  {a: b,}
    {? a}  {? a : b}  {: a}  {a: b, a: c}  {1: a, "1": b}  {a: b}c  {a: b: c}  {}  { }  {[a]: b}
    {{a: b}: c}  {1.5: a}  {true: a}  {y: a}  {~: a}  {<<: {a: b}}  {a: x, <<: {a: b}}  {a:[b]}
    {<<: [{a: b}, {a: c}]}  {<<: a}  {<<: ~}  {"<<": {a: b}}  {__proto__: {name: x}}  {constructor: x}
    {<<: &l [{a: b}]}  {a: [}  *l  &l x  &l  &l {a: *l}  &l [*l]  *none  &a:b x  &a-b x  *l:  &l &m x
    &l *l  &é x  |  >  |-  |+  >+  |2  |2-  |-2  |0  |10  | # c  |#c  |x  a\u0085b  a\u2028b
    "a\u2028b"  a\u00a0b  \u00a0  \ufeffa  a\ufeff  a\u0007b  a\u007fb  \ufffe  é  😀  \u200b`),
  '',
  '|  ',
  '|\t',
  '*l ',
  'a\tb',
  '\ta',
  'a\t',
  'a \t#b',
  '"\ta"',
  'a\rb',
  "'a\u2028  b'",
  "'a\u2028\u2029  b'",
  "'a \u2029b'",
  "'\u2028  b'",
  'x'.repeat(1100),
];

const KEYS = [
  ...apart(`
    a  "a"  'a'  a b  "a b"  y  null  ~  1  1.5  0x1  .inf  <<  "<<"  =  kind  Kind  KIND  apiversion
    apiVersion  "kind"  name  metadata  spec  group  versions  \u212aind  namespace  finalizers
    generation  labels  annotations  creationTimestamp  managedFields  ? a  &l a  !!str a  [a]  {a: b}
    __proto__  constructor  a:b  -a  - a  :a  #a  é  a\u2028b  "a\\nb"  "a\\x62"  'a''b'  a #  a#  @a
    %a  a"b`),
  '',
  '*l ',
  'a\tb',
  'a\t',
  '\ta',
  'k'.repeat(1020),
  'k'.repeat(1030),
  `"${'k'.repeat(1023)}"`,
];

const LINES = [
  ...apart(`
    ---  --- # c  ---# c  ---\u00a0  ---\ufeff  ---\u0085  --- x  ----  ...  ... x  ..  %YAML 1.1
    %YAML 1.2  %TAG ! x  %X  # c  #  - a  -  - - a  - a: b  ? a  : b  ?  :  a: b  a:  text  "text"  *l
    &l  !!str  - |  - >-  a: |  a: |2  - [  ]  }  {  ,  "  '  <<: *l  <<: [*l]  <<: {a: b}  kind: Other
    \u2028  \u0085  \ufeff  \ufeff# c  \u00a0  \u00a0# c  \u3000...`),
  '---\t',
  '--- ',
  '... ',
  '',
  ' ',
  '   ',
  '\t',
  '\t# c',
  ' \t',
  '-\ta',
  '\v',
  '\f# c',
  'a: b\r',
  '\r',
];

const CHARACTERS = [
  ...' \t\n:-?,[]{}#&*!|>\'"%@`\\~<=.0123'.split(''),
  '\r',
  '\r\n',
  '\u0000',
  '\u0007',
  '\u007f',
  '\u0085',
  '\u00a0',
  '\u2028',
  '\u2029',
  '\ufeff',
  '\ufffe',
  'é',
  '😀',
  ': ',
  ' #',
  '- ',
  '\n ',
  '\n  ',
  '\n\n',
  '\\n',
  '\\\n',
  "''",
  '""',
  '&l ',
  '*l',
  '!!str ',
  '!x ',
];

/** Returns the parts of a text that two spaces or a line break separate. */
function apart(text: string): string[] {
  return text.trim().split(/ {2,}|\n */);
}

const MUTATIONS: readonly Mutation[] = [
  ...Array.from({ length: 14 }, () => scalarReplaced),
  ...Array.from({ length: 4 }, () => keyReplaced),
  lineInserted,
  lineInserted,
  characterInserted,
  characterInserted,
  function characterReplaced(text, draw) {
    const at = draw(text.length);
    const code = pick([draw(128), draw(0x300), 0x20 + draw(95)], draw);
    return text.slice(0, at) + String.fromCharCode(code) + text.slice(at + 1);
  },
  function lost(text, draw) {
    const at = draw(text.length);
    return text.slice(0, at) + text.slice(at + 1 + draw(4));
  },
  function indented(text, draw) {
    return withLine(text, draw, (line) =>
      draw(2) === 0 ? ' '.repeat(1 + draw(3)) + line : line.slice(draw(3)),
    );
  },
  function blockIndented(text, draw) {
    const lines = text.split('\n');
    const from = draw(lines.length);
    const shift = draw(2) === 0 ? (line: string) => ` ${line}` : (line: string) => line.slice(1);
    const shifted = lines.slice(from, from + 1 + draw(4)).map(shift);
    return lines.toSpliced(from, shifted.length, ...shifted).join('\n');
  },
  function lineRemoved(text, draw) {
    const lines = text.split('\n');
    return lines.toSpliced(draw(lines.length), 1).join('\n');
  },
  function lineRepeated(text, draw) {
    const lines = text.split('\n');
    return lines.toSpliced(draw(lines.length), 0, pick(lines, draw)).join('\n');
  },
  function linesSwapped(text, draw) {
    const lines = text.split('\n');
    const [a, b] = [draw(lines.length), draw(lines.length)];
    return lines.with(a, lines[b]!).with(b, lines[a]!).join('\n');
  },
  function linesJoined(text, draw) {
    const lines = text.split('\n');
    const at = draw(lines.length);
    const joined = `${lines[at]} ${(lines[at + 1] ?? '').trimStart()}`;
    return lines.toSpliced(at, 2, joined).join('\n');
  },
  function trailing(text, draw) {
    const end = pick(
      [' ', '  ', '\t', ' # c', '\t# c', ' #', ':', ' :', ',', '\r', '\u00a0'],
      draw,
    );
    return withLine(text, draw, (line) => line + end);
  },
  function continued(text, draw) {
    const indent = ' '.repeat(draw(8));
    const more = pick(
      ['more', '# c', '- a', 'a: b', '"x"', "it's", 'x # c', '... x', '--- x'],
      draw,
    );
    return withLine(text, draw, (line) => `${line}\n${indent}${more}`);
  },
];

function scalarReplaced(text: string, draw: Draw): string {
  const places = [...text.matchAll(/(?<=(?:: |- |[[{,] ?))[^\s,[\]{}][^\n,[\]{}]*/g)];
  if (places.length === 0) return text;
  const { index, 0: old } = pick(places, draw);
  const found = pick(SCALARS, draw);
  const scalar = draw(3) === 0 ? found.replace(/^/, pick(['', ' ', '&m ', '!!str '], draw)) : found;
  const more = /^[|>]/.test(found) && draw(3) > 0 ? blockLines(draw) : '';
  return text.slice(0, index) + scalar + more + text.slice(index + old.length);
}

function blockLines(draw: Draw): string {
  const texts = [
    'a',
    ' b',
    '',
    '   ',
    '\tc',
    '# d',
    'e: f',
    '- g',
    'h ',
    'i\u2028      j',
    '...',
    'k\t',
  ];
  const indent = 1 + draw(8);
  return Array.from(
    { length: 1 + draw(4) },
    () => `\n${' '.repeat(Math.max(0, indent + draw(4) - 2))}${pick(texts, draw)}`,
  ).join('');
}

function keyReplaced(text: string, draw: Draw): string {
  const places = [...text.matchAll(/(?<=^ *(?:- )*|[{,] ?)[\w"']+(?=:)/gm)];
  if (places.length === 0) return text;
  const { index, 0: old } = pick(places, draw);
  return text.slice(0, index) + pick(KEYS, draw) + text.slice(index + old.length);
}

function lineInserted(text: string, draw: Draw): string {
  const lines = text.split('\n');
  const at = draw(lines.length);
  const like = /^ */.exec(lines[at]!)![0];
  const indent = draw(2) === 0 ? like : ' '.repeat(draw(3) === 0 ? 0 : draw(8));
  return lines.toSpliced(at, 0, indent + pick(LINES, draw)).join('\n');
}

function characterInserted(text: string, draw: Draw): string {
  const at = draw(text.length + 1);
  return text.slice(0, at) + pick(CHARACTERS, draw) + text.slice(at);
}

function withLine(text: string, draw: Draw, change: (line: string) => string): string {
  const lines = text.split('\n');
  const at = draw(lines.length);
  return lines.with(at, change(lines[at]!)).join('\n');
}

function pick<T>(from: readonly T[], draw: Draw): T {
  return from[draw(from.length)]!;
}
