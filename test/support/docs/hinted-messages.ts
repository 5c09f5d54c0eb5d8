import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAst } from 'rolldown/parseAst';

const SRC = join(import.meta.dirname, '../../../src');

/** A message with a hint in the source code. */
export interface HintedMessage {
  readonly file: string;
  readonly line: number;
  /**
   * Its texts, one for each combination of conditions, with `…` for variable parts; empty if it
   * passes on the message of another place.
   */
  readonly texts: readonly string[];
}

/** A node of the syntax tree and its parents. */
interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

/** The placeholder for variable parts. */
const VARIES = '…';

/** The maximum number of combinations; beyond it, a part counts as variable. */
const MAX_TEXTS = 6;

/** Names of fields and parameters with a message that has a `hint`. */
const TOLD = ['what', 'message', 'problem', 'lines', 'line'];

/** Positions of message and hint among the arguments of an error constructor. */
interface Maker {
  readonly message: number;
  /** The position of the message if the function itself provides the hint. */
  readonly hint: number;
}

/** Error classes whose last argument is an object that may have a `hint`. */
const ERRORS: Readonly<Record<string, Maker>> = {
  InputError: { message: 0, hint: 1 },
  SourceError: { message: 2, hint: 3 },
  UsageError: { message: 0, hint: 1 },
};

export function hintedMessages(): HintedMessage[] {
  const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .sort()
    .map((name) => new SourceFile(`src/${name.replaceAll('\\', '/')}`));
  const makers = new Map(files.flatMap((file) => file.makers()));
  return files.flatMap((file) => file.messages(makers));
}

class SourceFile {
  readonly #path: string;
  readonly #text: string;
  readonly #nodes: Node[] = [];
  readonly #parents = new Map<Node, Node>();

  constructor(path: string) {
    this.#path = path;
    this.#text = readFileSync(join(SRC, '..', path), 'utf8');
    this.#visit(parseAst(this.#text, { lang: 'ts' }) as never);
  }

  #visit(node: Node, parent?: Node): void {
    this.#nodes.push(node);
    if (parent !== undefined) this.#parents.set(node, parent);
    for (const child of Object.values(node).flat()) if (isNode(child)) this.#visit(child, node);
  }

  /** Returns functions that take a message and optionally a `hint`. */
  makers(): [name: string, maker: Maker][] {
    return this.#nodes.flatMap((node) => {
      const maker = this.#makerOf(node);
      const name = nameOf(node['id']) ?? this.#nameGiven(node);
      return maker === undefined || name === undefined ? [] : [[name, maker]];
    });
  }

  #makerOf(node: Node): Maker | undefined {
    const params = node['params'];
    if (!Array.isArray(params) || !node.type.includes('Function')) return undefined;
    const names = (params as Node[]).map(nameOf);
    const hint = names.indexOf('hint');
    const message = names.indexOf(TOLD.find((name) => names.includes(name)) ?? '');
    if (message < 0) return undefined;
    if (hint >= 0) return { message, hint };
    const inside = this.#nodes.filter(({ start, end }) => start > node.start && end < node.end);
    const passesOn = inside.some(
      (each) => nameOf(this.#toldWithHint(each, new Map())) === names[message],
    );
    return passesOn ? { message, hint: message } : undefined;
  }

  /** Returns the name of the constant or property that has the function as its value. */
  #nameGiven(node: Node): string | undefined {
    const parent = this.#parents.get(node);
    return nameOf(parent?.['id'] ?? parent?.['key']);
  }

  messages(makers: ReadonlyMap<string, Maker>): HintedMessage[] {
    return this.#nodes.flatMap((node) => {
      const told = this.#toldWithHint(node, makers);
      if (told === undefined) return [];
      const line = this.#text.slice(0, node.start).split('\n').length;
      const texts = [...new Set(this.#textsOf(told).map(tidied))];
      const readable = texts.filter((text) => /\p{L}{2}/u.test(text));
      if (readable.length === 0 && this.#isInMaker(node)) return [];
      return [{ file: this.#path, line, texts: readable }];
    });
  }

  /** Whether the message comes from callers, which are read instead. */
  #isInMaker(node: Node): boolean {
    for (let at = this.#parents.get(node); at !== undefined; at = this.#parents.get(at))
      if (this.#makerOf(at) !== undefined) return true;
    return false;
  }

  /** Returns the message of a node that also has a hint; otherwise undefined. */
  #toldWithHint(node: Node, makers: ReadonlyMap<string, Maker>): Node | undefined {
    if (node.type === 'ObjectExpression') {
      if (this.#isMismatch(node)) return propertyOf(node, 'text');
      const told = TOLD.map((name) => propertyOf(node, name)).find((each) => each !== undefined);
      return propertyOf(node, 'hint') === undefined ? undefined : told;
    }
    if (node.type === 'Literal' || node.type === 'TemplateLiteral')
      return this.#textsOf(node)[0]?.startsWith('hint: ') === true ? node : undefined;
    const args = node['arguments'] as Node[] | undefined;
    if (args === undefined) return undefined;
    const callee = node['callee'] as Node;
    const name = nameOf(callee) ?? nameOf(callee['property']) ?? '';
    const maker = node.type === 'NewExpression' ? ERRORS[name] : makers.get(name);
    const hint = maker === undefined ? undefined : args[maker.hint];
    if (hint === undefined) return undefined;
    const isGiven = name in ERRORS && name !== 'UsageError' ? this.#hasHint(hint) : true;
    return isGiven ? args[maker!.message] : undefined;
  }

  /** Whether the node is a mismatch: its hints depend on its kind. */
  #isMismatch(node: Node): boolean {
    const kind = propertyOf(node, 'kind');
    return /mismatch/i.test(this.#text) && kind !== undefined && kind.type === 'Literal';
  }

  /** Whether the options of an error may have a hint. */
  #hasHint(options: Node): boolean {
    if (options.type !== 'ObjectExpression') return true;
    if (propertyOf(options, 'hint') !== undefined) return true;
    const spread = (options['properties'] as Node[]).filter(({ type }) => type === 'SpreadElement');
    return spread.some(({ start, end }) => this.#text.slice(start, end).includes('int'));
  }

  #textsOf(node: Node | undefined, depth = 0): string[] {
    if (node === undefined || depth > 8) return [VARIES];
    const of = (key: string) => this.#textsOf(node[key] as Node | undefined, depth + 1);
    switch (node.type) {
      case 'Literal':
        return [typeof node['value'] === 'string' ? node['value'] : VARIES];
      case 'TemplateLiteral':
        return this.#templateTexts(node, depth);
      case 'ConditionalExpression':
        return [...of('consequent'), ...of('alternate')];
      case 'LogicalExpression':
        return [...of('left'), ...of('right')];
      case 'BinaryExpression':
        return joined([of('left'), of('right')]);
      case 'ArrayExpression':
        return this.#textsOf((node['elements'] as Node[])[0], depth + 1);
      case 'ArrowFunctionExpression':
        return of('body');
      case 'TSAsExpression':
      case 'TSNonNullExpression':
      case 'TSSatisfiesExpression':
        return of('expression');
      case 'Identifier': {
        const init = this.#constant(node);
        return init === undefined ? [VARIES] : this.#textsOf(init, depth + 1);
      }
      default:
        return [VARIES];
    }
  }

  #templateTexts(node: Node, depth: number): string[] {
    const quasis = node['quasis'] as { readonly value: { readonly cooked: string } }[];
    const expressions = node['expressions'] as Node[];
    return joined(
      quasis.flatMap(({ value }, n) => {
        const expression = expressions[n];
        if (expression === undefined) return [[value.cooked]];
        return [[value.cooked], this.#textsOf(expression, depth + 1)];
      }),
    );
  }

  /** Returns the value of a constant from the nearest enclosing block that declares it. */
  #constant(name: Node): Node | undefined {
    for (let at = this.#parents.get(name); at !== undefined; at = this.#parents.get(at)) {
      const params = (at['params'] as Node[] | undefined) ?? [];
      if (params.some((each) => nameOf(each) === name['name'])) return undefined;
      const body = Array.isArray(at['body']) ? (at['body'] as Node[]) : [];
      const declarators = body.flatMap((statement) => {
        const declared = (statement['declaration'] as Node | null | undefined) ?? statement;
        return (declared['declarations'] as Node[] | undefined) ?? [];
      });
      const found = declarators.find(({ id }) => nameOf(id) === name['name']);
      if (found !== undefined) return (found['init'] as Node | null) ?? undefined;
    }
    return undefined;
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}

function nameOf(node: unknown): string | undefined {
  if (!isNode(node)) return undefined;
  if (node.type === 'AssignmentPattern') return nameOf(node['left']);
  return typeof node['name'] === 'string' ? node['name'] : undefined;
}

function propertyOf({ properties }: Node, name: string): Node | undefined {
  const found = (properties as Node[]).find(({ key }) => nameOf(key) === name);
  return found?.['value'] as Node | undefined;
}

/** Returns all combinations of parts; if there are too many, alternatives count as variable. */
function joined(parts: readonly (readonly string[])[]): string[] {
  const count = parts.reduce((product, { length }) => product * length, 1);
  const taken =
    count > MAX_TEXTS ? parts.map((part) => (part.length > 1 ? [VARIES] : part)) : parts;
  return taken.reduce<string[]>(
    (texts, part) => texts.flatMap((text) => part.map((each) => text + each)),
    [''],
  );
}

/** Returns the first line, with adjacent variable parts joined. */
function tidied(text: string): string {
  return text
    .split('\n', 1)[0]!
    .replaceAll(/…(?:[\s,.:;]*…)+/g, VARIES)
    .trim();
}
