import * as fc from 'fast-check';

type Tree = string | readonly Tree[] | { readonly [key: string]: Tree };
/** Picks one of `n` variants. The choice is the same for the same sample. */
type Pick = (n: number) => number;

const plainWord = fc.constantFrom('a', 'Bucket', 'buckets.acme.io', 'v1', 'v1beta1', 'two words');
const oddWord = fc.constantFrom(
  'yes',
  '0777',
  '1.5',
  'null',
  '~',
  '',
  "it's",
  'say "so"',
  'a: b',
  'a #b',
  '# no',
  '- x',
  '-x',
  '[x]',
  '{x}',
  '*x',
  '&x',
  'x:',
  ':x',
  '? x',
  '|',
  '>-',
  '%x',
  '@x',
  '`x`',
  '<<',
  'é',
  'http://x.io/y',
  'ends with space ',
  'tab\there',
  'line one\nline two',
  'one\n\n  two\n',
  "don't\n---\nstop",
  '\\',
  '\\n',
  '=',
);
const word = fc.oneof({ weight: 7, arbitrary: plainWord }, { weight: 2, arbitrary: oddWord });
const flag = fc.oneof(
  { weight: 7, arbitrary: fc.constantFrom('true', 'false') },
  { weight: 2, arbitrary: word },
);
const key = fc.oneof(
  { weight: 9, arbitrary: fc.constantFrom('name', 'kind', 'plural', 'a', 'b c', "q'", 'x-y/z') },
  { weight: 1, arbitrary: fc.constantFrom('on', '<<', '1', '# k', '') },
);

const { noise } = fc.letrec<{ noise: Tree }>((tie) => ({
  noise: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    word,
    fc.array(tie('noise'), { minLength: 1, maxLength: 3 }),
    fc.dictionary(key, tie('noise'), { minKeys: 1, maxKeys: 3, noNullPrototype: true }),
  ),
}));

const texts = fc.oneof(
  { weight: 9, arbitrary: fc.dictionary(key, word, { maxKeys: 3, noNullPrototype: true }) },
  noise,
);
const names = fc.record({ kind: word, plural: word, extra: noise }, { requiredKeys: ['kind'] });
const spec = fc.record(
  {
    group: word,
    names,
    claimNames: fc.oneof({ weight: 9, arbitrary: names }, word),
    versions: fc.array(
      fc.record({
        deprecated: flag,
        schema: noise,
        name: word,
        served: flag,
        storage: flag,
        referenceable: flag,
      }),
      { maxLength: 2 },
    ),
    version: word,
    noise,
  },
  { requiredKeys: ['group'] },
);

const document: fc.Arbitrary<Tree> = fc.record(
  {
    apiVersion: fc.oneof({ weight: 9, arbitrary: fc.constant('apiextensions.k8s.io/v1') }, word),
    kind: fc.oneof({ weight: 9, arbitrary: fc.constant('CustomResourceDefinition') }, word),
    metadata: fc.record(
      { labels: texts, name: word, annotations: texts },
      { requiredKeys: ['name'] },
    ),
    spec,
    status: noise,
  },
  { requiredKeys: ['apiVersion', 'kind', 'metadata'] },
);

/** A document of a package, in any of the ways to write it in YAML. */
export const spelledDocument: fc.Arbitrary<string> = fc
  .record({
    document,
    choices: fc.array(fc.nat(999), { minLength: 1, maxLength: 60 }),
    /** Frequency of rare spellings; 0 to write as tools do. */
    variety: fc.constantFrom(0, 0, 4, 12),
  })
  .map(({ document, choices, variety }) => spell(document, choices, variety));

function spell(document: Tree, choices: readonly number[], variety: number): string {
  let next = 0;
  const pick: Pick = (n) => choices[next++ % choices.length]! % n;
  const rarely = () => variety > 0 && pick(40) < variety;
  const width = pick(3) === 0 && variety > 0 ? 1 + pick(4) : 2;
  const writer = { pick, rarely, width };
  const text =
    (pick(2) ? '---\n' : '') + (rarely() ? flow(document, writer) : block(document, '', writer));
  const ended = rarely() ? `${text}...\n` : text;
  return rarely() ? ended.replaceAll('\n', '\r\n').replaceAll('\r\n', '\n') : ended;
}

interface Writer {
  readonly pick: Pick;
  readonly rarely: () => boolean;
  readonly width: number;
}

/** The text ends in a newline. The text of a collection begins at the start of a line. */
function block(tree: Tree, indent: string, writer: Writer): string {
  if (typeof tree === 'string') return `${indent}${scalar(tree, indent, writer)}\n`;
  if (isList(tree))
    return tree.map((item) => `${indent}-${value(item, indent, writer, 1)}`).join('');
  const lines = Object.entries(tree).map(([name, item]) => {
    const written = `${indent}${keyText(name, writer)}:${value(item, indent, writer, 0)}`;
    const again = writer.rarely() && writer.rarely() ? written : '';
    return `${interlude(indent, writer)}${written}${again}`;
  });
  return lines.join('');
}

function value(tree: Tree, indent: string, writer: Writer, least: number): string {
  const space = writer.rarely() ? (writer.pick(4) === 0 ? ' \t' : '   ') : ' ';
  const anchor = writer.rarely() && writer.rarely() ? `&x${writer.pick(3)} ` : '';
  if (writer.rarely() && writer.rarely()) return `${space}*x${writer.pick(3)}\n`;
  if (typeof tree === 'string') {
    return `${space}${anchor}${scalar(tree, indent, writer)}${comment(writer)}\n`;
  }
  const empty = (isList(tree) ? tree : Object.keys(tree)).length === 0;
  if (empty || writer.rarely()) return `${space}${anchor}${flow(tree, writer)}${comment(writer)}\n`;
  const compact = isList(tree) && least === 0 && writer.pick(2) === 0;
  const inner = indent + ' '.repeat(compact ? 0 : Math.max(writer.width, least));
  const nested = block(tree, inner, writer);
  const inline =
    least === 1 && anchor === '' && writer.pick(3) > 0 && inner.length > indent.length + 1;
  if (inline && !nested.trimStart().startsWith('#') && !nested.startsWith('\n')) {
    return nested.slice(indent.length + 1);
  }
  return `${anchor === '' ? '' : ` ${anchor}`}${comment(writer)}\n${nested}`;
}

function scalar(text: string, indent: string, writer: Writer): string {
  const deeper = `\n${indent}${' '.repeat(writer.width)}`;
  if (writer.rarely() && writer.rarely()) return `!!str ${JSON.stringify(text)}`;
  const style = writer.pick(6);
  if (style === 0) return `'${text.replaceAll("'", "''").replaceAll('\n', `\n${deeper}`)}'`;
  if (style === 1) return JSON.stringify(text).replaceAll(' ', writer.rarely() ? deeper : ' ');
  if (style === 2 && text.includes('\n')) return `|-${deeper}${text.replaceAll('\n', deeper)}`;
  if (style === 3 && text.includes(' ')) return `>${deeper}${text.replaceAll('\n', deeper)}`;
  if (!/^[A-Za-z][\w./-]*( [\w./-]+)*$/.test(text) && !writer.rarely()) {
    return text.includes('\n') && writer.pick(2) === 0
      ? `|-${deeper}${text.replaceAll('\n', deeper)}`
      : JSON.stringify(text);
  }
  // Plain, sometimes where that is invalid: invalid YAML must not be accepted.
  return text.replaceAll('\n', deeper).replaceAll(' ', writer.rarely() ? deeper : ' ');
}

function keyText(name: string, writer: Writer): string {
  if (writer.rarely())
    return writer.pick(2) ? JSON.stringify(name) : `'${name.replaceAll("'", "''")}'`;
  return writer.rarely() && writer.rarely() ? `? ${name}\n` : name;
}

function interlude(indent: string, writer: Writer): string {
  if (!writer.rarely()) return '';
  return ['\n', '# kind: comment\n', `${indent}# comment\n`, `${indent}  \n`][writer.pick(4)]!;
}

function comment({ rarely }: Writer): string {
  return rarely() ? ' # kind: comment' : '';
}

function flow(tree: Tree, writer: Writer): string {
  if (typeof tree === 'string') return JSON.stringify(tree);
  const gap = writer.rarely() ? '\n ' : ' ';
  if (isList(tree)) return `[${tree.map((item) => flow(item, writer)).join(`,${gap}`)}]`;
  const entries = Object.entries(tree).map(
    ([name, item]) => `${JSON.stringify(name)}: ${flow(item, writer)}`,
  );
  return `{${entries.join(`,${gap}`)}}`;
}

function isList(tree: Tree): tree is readonly Tree[] {
  return Array.isArray(tree);
}

/** The same document with a few mistakes. */
export const misspelledDocument: fc.Arbitrary<string> = fc
  .record({
    text: spelledDocument,
    slips: fc.array(
      fc.record({
        at: fc.nat(),
        remove: fc.nat(3),
        insert: fc.constantFrom(
          '',
          ' ',
          '\n',
          ':',
          ': ',
          '- ',
          '"',
          "'",
          '#',
          ' #',
          '|',
          '\t',
          '&a ',
          '*a',
          '{',
          '}',
          '[',
          '\n  ',
          '---\n',
          '...\n',
          '\u2028',
          '?',
          '!',
        ),
      }),
      { maxLength: 3 },
    ),
  })
  .map(({ text, slips }) =>
    slips.reduce((spelled, { at, remove, insert }) => {
      const from = at % (spelled.length + 1);
      return spelled.slice(0, from) + insert + spelled.slice(from + remove);
    }, text),
  );

/** Random lines, most of them invalid in their place. */
export const shuffledLines: fc.Arbitrary<string> = fc
  .array(
    fc.tuple(
      fc.constantFrom('', '', '', ' ', '  ', '  ', '    '),
      fc.constantFrom(
        'apiVersion: v1',
        'kind: Bucket',
        'metadata:',
        'name: a',
        'name: "b"',
        'spec:',
        'group: g',
        'names:',
        'versions:',
        '- name: v1',
        '-',
        '- - a',
        '- a',
        '- |',
        'a: |',
        'a: >-',
        "a: 'b",
        'b"',
        "c'",
        'a: "b',
        'text',
        'text: more: still',
        'a: b #c',
        '#c',
        '',
        '"k": v',
        'a: {}',
        'a: []',
        'a: [b',
        'b]',
        'a: &x',
        'a: *x',
        '? a',
        ': b',
        '<<: *x',
        'kind:',
        'plural: p',
        'claimNames:',
      ),
    ),
    { maxLength: 12 },
  )
  .map((lines) => lines.map((parts) => `${parts.join('')}\n`).join(''))
  .map((text) => `apiVersion: v1\nkind: Bucket\n${text}`);
