import type { Draw } from '../../src/base/collections.js';

/** A JSON value that may have duplicate keys, unlike a JavaScript object. */
type Node =
  | { readonly kind: 'object'; readonly members: [key: string, value: Node][] }
  | { readonly kind: 'list'; readonly items: Node[] }
  | { readonly kind: 'raw'; readonly text: string };

type Holder = Exclude<Node, { readonly kind: 'raw' }>;

/**
 * Returns a JSON document with one to three changes that JSON parsers treat differently: duplicate
 * keys, keys in another case, other types, and text around the document. `donor` provides values.
 */
export function mutatedJson(seed: string, donor: string, draw: Draw): Buffer {
  const root = nodeOf(JSON.parse(seed));
  for (let times = 1 + draw(3); times > 0; times--) {
    // Each change creates new values, so that no value contains itself.
    const values = allNodes(nodeOf(JSON.parse(donor)));
    pick(CHANGES, draw)(root, values, draw);
  }
  const text = textOf(root);
  if (draw(20) > 0) return Buffer.from(text);
  const bytes = Buffer.from(pick(TEXT_CHANGES, draw)(text));
  if (draw(3) === 0) bytes[draw(bytes.length)] = draw(256);
  return bytes;
}

type Change = (root: Node, values: readonly Node[], draw: Draw) => void;

const CHANGES: readonly Change[] = [
  function keyTwice(root, values, draw) {
    const object = pickObject(root, draw);
    if (object === undefined) return;
    const [key, value] = pick(object.members, draw);
    insert(object.members, [key, someValue(key, value, values, draw)], draw);
  },
  function keyInAnotherCase(root, values, draw) {
    const object = pickObject(root, draw);
    if (object === undefined) return;
    const [key, value] = pick(object.members, draw);
    insert(object.members, [otherCase(key, draw), someValue(key, value, values, draw)], draw);
  },
  function keyRenamed(root, _values, draw) {
    const object = pickObject(root, draw);
    if (object === undefined) return;
    const member = pick(object.members, draw);
    member[0] = draw(3) === 0 ? `${member[0]}x` : otherCase(member[0], draw);
  },
  function valueReplaced(root, values, draw) {
    const object = pickObject(root, draw);
    if (object === undefined) return;
    const member = pick(object.members, draw);
    member[1] = someValue(member[0], member[1], values, draw);
  },
  function memberAdded(root, values, draw) {
    const object = pickObject(root, draw);
    if (object === undefined) return;
    insert(object.members, [pick(KNOWN_KEYS, draw), pick(values, draw)], draw);
  },
  function memberRemoved(root, _values, draw) {
    const object = pickObject(root, draw);
    if (object !== undefined) object.members.splice(draw(object.members.length), 1);
  },
  function itemChanged(root, values, draw) {
    const lists = allNodes(root).filter((node) => node.kind === 'list');
    const list = lists.length === 0 ? undefined : pick(lists, draw);
    if (list === undefined) return;
    if (list.items.length > 0 && draw(4) === 0) list.items.splice(draw(list.items.length), 1);
    else insert(list.items, draw(2) === 0 ? pick(values, draw) : raw(pick(ODD, draw)), draw);
  },
];

const TEXT_CHANGES: readonly ((text: string) => string)[] = [
  (text) => `\ufeff${text}`,
  (text) => `${text} {}`,
  (text) => `${text}x`,
  (text) => ` \n${text}\r\n\t `,
  (text) => text.replaceAll(',', ', '),
  (text) => text.slice(0, -1),
  (text) => text.replace('}', ',}'),
  (text) => `// x\n${text}`,
  (text) => text.replaceAll('"', "'"),
  (text) => text.replace('"', '"\\u0000'),
];

/** Keys that determine what is installed; they are added in wrong places. */
const KNOWN_KEYS = [
  'layers',
  'manifests',
  'config',
  'mediaType',
  'digest',
  'size',
  'annotations',
  'platform',
  'os',
  'architecture',
  'data',
  'urls',
  'subject',
  'artifactType',
  'schemaVersion',
  'tags',
  'name',
  'next',
  'token',
  'access_token',
  'auths',
  'auth',
  'rootfs',
  'Labels',
  'x',
];

const ODD = [
  'null',
  'true',
  '0',
  '-0',
  '-1',
  '1.0',
  '1e1',
  '9007199254740993',
  '99999999999999999999',
  '""',
  '"x"',
  '"2"',
  '[]',
  '{}',
  '[null]',
  '[[]]',
  '{"a":1}',
  '{"a":"b"}',
  '"\\ud800"',
  '"ba\\u0073e"',
  '"base"',
  '"linux"',
  '"amd64"',
  '"arm64"',
  '"YQ=="',
  '"%"',
  '"application/vnd.oci.image.index.v1+json"',
  '"application/vnd.oci.image.manifest.v1+json"',
  '"application/vnd.docker.distribution.manifest.v1+json"',
  '{"io.crossplane.xpkg":"base"}',
  '{"os":"linux","architecture":"amd64"}',
];

/** Returns a value of the same key elsewhere, another value or an unusual one. */
function someValue(key: string, value: Node, values: readonly Node[], draw: Draw): Node {
  if (draw(3) === 0) return raw(pick(ODD, draw));
  const objects = values.filter((node) => node.kind === 'object');
  const same = objects.flatMap(({ members }) => members.filter(([other]) => other === key));
  if (same.length > 0 && draw(4) > 0) return pick(same, draw)[1];
  return draw(3) === 0 ? structuredClone(value) : pick(values, draw);
}

function otherCase(key: string, draw: Draw): string {
  const changes = [
    key.toUpperCase(),
    key.slice(0, 1).toUpperCase() + key.slice(1),
    key.replaceAll('s', '\u017f'),
    key.replaceAll('k', '\u212a'),
    key.replace(/[a-z]/i, (letter) => `\\u00${letter.charCodeAt(0).toString(16)}`),
  ];
  return pick(changes, draw);
}

function nodeOf(value: unknown): Node {
  if (Array.isArray(value)) return { kind: 'list', items: value.map(nodeOf) };
  if (typeof value !== 'object' || value === null) return raw(JSON.stringify(value));
  const members = Object.entries(value).map(([key, inner]): [string, Node] => [key, nodeOf(inner)]);
  return { kind: 'object', members };
}

function raw(text: string): Node {
  return { kind: 'raw', text };
}

/** Writes keys unchanged; a key with an escape sequence stands for the same key. */
function textOf(node: Node): string {
  if (node.kind === 'raw') return node.text;
  if (node.kind === 'list') return `[${node.items.map(textOf).join(',')}]`;
  return `{${node.members.map(([key, value]) => `"${key}":${textOf(value)}`).join(',')}}`;
}

function allNodes(node: Node): readonly Node[] {
  if (node.kind === 'raw') return [node];
  return [node, ...childrenOf(node).flatMap(allNodes)];
}

function childrenOf(holder: Holder): readonly Node[] {
  return holder.kind === 'list' ? holder.items : holder.members.map(([, value]) => value);
}

function pickObject(root: Node, draw: Draw) {
  const objects = allNodes(root).filter((node) => node.kind === 'object');
  const filled = objects.filter(({ members }) => members.length > 0);
  return filled.length === 0 ? undefined : pick(filled, draw);
}

function insert<T>(list: T[], item: T, draw: Draw): void {
  list.splice(draw(2) === 0 ? list.length : draw(list.length + 1), 0, item);
}

function pick<T>(from: readonly T[], draw: Draw): T {
  return from[draw(from.length)]!;
}
